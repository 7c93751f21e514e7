"""What commands and kernel files print, read into plain values: one module per form, no input or output of its own.

Every reader takes text and raises ValueError, with the reason, for text that is not of its form.
"""
