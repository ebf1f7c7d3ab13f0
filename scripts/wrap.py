#!/usr/bin/env python3
"""wrap.py FILE... - paragraphs and items of markdown files in lines of at most 100 characters.

Code, tables, headings and pictures stay as they are. `make format` runs it on all documents, and
scripts/check_source.sh looks for lines that are too long.
"""

import re
import sys

WIDTH = 100
ITEM = re.compile(r"( *)([-*]|\d+[.)]) +(.*)")
FENCE = re.compile(r" *```")
# a token that is not broken: code in backquotes, a link that is not long
WHOLE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)|\[[^\[\]]*\]\([^)\s]{1,50}\)")


def words(text):
    """The text in pieces that stand on one line each."""
    found, word, at = [], "", 0
    while at < len(text):
        whole = WHOLE.match(text, at)
        if whole:
            word += whole.group()
            at = whole.end()
            continue
        if text[at] == " ":
            if word:
                found.append(word)
            word = ""
        else:
            word += text[at]
        at += 1
    return found + [word] if word else found


def begins_badly(word):
    """Would a line that begins with this be an item, a heading, a table?"""
    return word in "+-*" or re.match(r"[>#|=]|\d+[.)]$", word)


def wrapped(text, first, hanging):
    lines, line, nword = [], first, 0
    for word in words(text):
        if nword and len(line) + 1 + len(word) > WIDTH:
            if begins_badly(word) and nword > 1:
                line, last = line.rsplit(" ", 1)
                word = last + " " + word
            lines.append(line)
            line, nword = hanging, 0
        line += (" " if nword else "") + word
        nword += 1
    return lines + [line]


def stays(line):
    return not line.strip() or line.startswith(("#", "|", "!", "<", "    ", ">"))


def wrap(lines):
    out, at = [], 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if FENCE.match(line):
            out.append(line)
            while at < len(lines) and not FENCE.match(lines[at]):
                out.append(lines[at])
                at += 1
            if at < len(lines):
                out.append(lines[at])
                at += 1
            continue
        item = ITEM.match(line)
        if not item and stays(line):
            out.append(line)
            continue
        first = item.group(1) + item.group(2) + " " if item else re.match(" *", line).group()
        text = item.group(3) if item else line.strip()
        # the item or paragraph goes on
        while at < len(lines) and not ITEM.match(lines[at]) and not FENCE.match(lines[at]):
            if stays(lines[at].lstrip() if item else lines[at]):
                break
            text += " " + lines[at].strip()
            at += 1
        out += wrapped(text, first, " " * len(first))
    return out


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        before = file.read()
    after = "\n".join(wrap(before.split("\n")))
    if after != before:
        with open(path, "w", encoding="utf-8") as file:
            file.write(after)
