"""SHA-256 of contents: what signatures, checksums and stored documents go by."""

from __future__ import annotations

import hashlib
import json


def sha256(content: bytes | str) -> str:
    """Return the SHA-256, in hexadecimal, of bytes, or of text in UTF-8."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of JSON types, in any order of an object's keys."""
    return sha256(json.dumps(content, sort_keys=True))
