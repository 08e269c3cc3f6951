"""Digests of JSON types: what signatures, checksums and kept documents go by."""

from __future__ import annotations

import hashlib
import json


def digest_of_json(content: object) -> str:
    """Return the SHA-256, in hexadecimal, of content; the order of an object's keys is no part."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
