"""Responses in plain English to dialogues of the sample."""

from __future__ import annotations

TOLD: dict[str, list[str]] = {
    # Wants telephone and address of an Italian restaurant in the centre.
    "town001": [
        "Nonna's Attic cooks Italian food in the centre.",
        "It is at 17 Spindle Street, and the phone number is 01632960106.",
        "Bye!",
    ],
    # Wants the reference number of a cheap hotel in the east.
    "town002": [
        "The Skylark Inn would be cheap.",
        "Which day is it, and how many nights?",
        "Your room is booked, the reference number is QX7P2M4K.",
        "Bye!",
    ],
    # Wants postcode and telephone of a museum in the south.
    "town004": [
        "You would love the Museum of Knots!",
        "The postcode is BW4 4NB and the phone number is 01632 960301.",
        "Bye!",
    ],
}
