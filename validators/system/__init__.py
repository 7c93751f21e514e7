"""The description of the system that ran: the document `system.json` of a bundle, read, judged, compared, exported.

document.py    finds and reads it: size, depth, schema
facts.py       what rules, pages and exports ask of it
rules.json, rules.py    what must agree between the description and the results
difference.py  what differs between two or more descriptions
publishing.py  the form that may be shown to everybody
"""
