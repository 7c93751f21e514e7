"""Lines of fio's text and terse forms that its readers take figures from, each from its beginning to its end.

A line in which something else stands is not understood, although a figure could be found in it. Nor is one that stands
where nothing is read of it: a percentile below no heading, or a rate outside of any job.
"""

from __future__ import annotations

import re

_SIZE = r"[\d.]{1,20} ?[kKMGTP]?i?(?:B|bit|b)?"
_FIGURE = r" {0,20}[\d.]{1,30}[kKMG]?"
_COUNTS = r"[\d,/rwd=]{1,100}"
_OP = r"[ \t]{1,8}(?:read|write|trim|mixed)\s{0,4}: "
_OUTSIDE = (
    r"\S.{0,100}?: \(groupid=\d{1,9}, jobs=\d{1,9}\): err=.{1,400}",
    r"(?:<[^>\n]{1,253}> )?\S.{0,100}?: \(g=\d{1,9}\): rw=.{1,300}",
    r"fio-[\w.+-]{1,40}",
    r"(?:[345];fio-[\w.+-]{1,40}|2);[^;]{1,255};.{1,8192}",
)
_OF_A_JOB = (
    _OP + rf"IOPS={_SIZE}, BW={_SIZE}(?:/s)? \({_SIZE}(?:/s)?\)\({_SIZE}/\d{{1,18}}msec\)(?:; \d{{1,18}} zone resets)?",
    _OP + rf"io={_SIZE}, bw={_SIZE}/s, iops={_FIGURE} ?, runt= {{0,20}}\d{{1,18}}msec",
    r"[ \t]{1,8}(?:slat|clat|lat|sync) \([num]?sec\)\s{0,4}: "
    rf"min={_FIGURE}, max={_FIGURE}, avg={_FIGURE}, stdev={_FIGURE}",
    r"[ \t]{1,8}(?:(?:slat|clat|lat|sync) )?percentiles \([num]?sec\):",
    rf"[ \t]{{1,8}}issued (?:rwts?|rwt)?\s{{0,8}}: total={_COUNTS}(?: short={_COUNTS})?(?: drop(?:ped)?={_COUNTS})?",
    r"[ \t]{1,8}steadystate\s{0,4}: attained=(?:yes|no), .{1,200}",
)
_OUTSIDE_OF_JOBS, _INSIDE = ([re.compile(words, re.ASCII) for words in kind] for kind in (_OUTSIDE, _OF_A_JOB))
_ROW = re.compile(r"[ \t]{0,8}\|(?: {1,4}\d{1,3}\.\d{1,9}th=\[ {0,20}\d{1,18}\],?){1,8}", re.ASCII)


def is_understood(line: str, *, in_job: bool = False, in_list: bool = False) -> bool:
    """Whether a whole line is of a form that figures are read from where it stands: in a job, below a heading."""
    if in_list and _ROW.fullmatch(line):
        return True
    forms = (*_OUTSIDE_OF_JOBS, *_INSIDE) if in_job else _OUTSIDE_OF_JOBS
    return any(words.fullmatch(line) for words in forms)
