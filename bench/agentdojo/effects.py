"""What the tools of AgentDojo's four suites do to the world, and whose text they return. Data, and nothing else.

An effect is what a tool does at worst: an event with participants sends invitations, a reservation commits money, and
to get a page at any address tells its owner whatever the address holds. Text of others is what comes from mail,
messages, web pages, files, reviews, and events that others may have made, also where a tool returns it beside its own
work. What the application itself knows is trusted: prices, addresses, balances, the user's own data.
"""

from typing import NamedTuple

from loopwright.core.messages import Effect


class Does(NamedTuple):
    """What a tool does, and whether what it returns comes from the application itself."""

    effect: Effect
    trusted: bool


OWN, OTHERS = True, False
MAIL = {
    "send_email": Does("send", OWN),
    "delete_email": Does("delete", OWN),
    **{name: Does("read", OTHERS) for name in ("get_unread_emails", "get_sent_emails", "get_received_emails")},
    **{name: Does("read", OTHERS) for name in ("get_draft_emails", "search_emails")},
    **{name: Does("read", OWN) for name in ("search_contacts_by_name", "search_contacts_by_email")},
}
CALENDAR = {
    "get_current_day": Does("read", OWN),
    "search_calendar_events": Does("read", OTHERS),
    "get_day_calendar_events": Does("read", OTHERS),
    "create_calendar_event": Does("send", OWN),
    "cancel_calendar_event": Does("delete", OTHERS),
    "reschedule_calendar_event": Does("write", OTHERS),
    "add_calendar_event_participants": Does("send", OTHERS),
}
FILES = {
    **{name: Does("read", OTHERS) for name in ("search_files_by_filename", "get_file_by_id", "list_files")},
    "search_files": Does("read", OTHERS),
    "append_to_file": Does("write", OTHERS),
    "create_file": Does("write", OWN),
    "delete_file": Does("delete", OTHERS),
    "share_file": Does("send", OTHERS),
}
TRAVEL = {
    "get_user_information": Does("read", OWN),
    **{f"get_all_{what}_in_city": Does("read", OWN) for what in ("hotels", "restaurants", "car_rental_companies")},
    **{f"get_hotels_{what}": Does("read", OWN) for what in ("prices", "address")},
    **{f"get_rating_reviews_for_{what}": Does("read", OTHERS) for what in ("hotels", "restaurants", "car_rental")},
    **{f"get_{what}_for_restaurants": Does("read", OWN) for what in ("cuisine_type", "contact_information", "price")},
    "get_restaurants_address": Does("read", OWN),
    "get_dietary_restrictions_for_all_restaurants": Does("read", OWN),
    "check_restaurant_opening_hours": Does("read", OWN),
    **{
        name: Does("read", OWN)
        for name in ("get_car_types_available", "get_car_fuel_options", "get_car_rental_address")
    },
    "get_car_price_per_day": Does("read", OWN),
    "get_flight_information": Does("read", OWN),
    **{f"reserve_{what}": Does("pay", OWN) for what in ("hotel", "car_rental", "restaurant")},
}
BANKING = {
    **{name: Does("read", OWN) for name in ("get_iban", "get_balance", "get_user_info", "get_scheduled_transactions")},
    "get_most_recent_transactions": Does("read", OTHERS),
    "read_file": Does("read", OTHERS),
    **{name: Does("pay", OWN) for name in ("send_money", "schedule_transaction", "update_scheduled_transaction")},
    "update_password": Does("write", OWN),
    "update_user_info": Does("write", OWN),
}
SLACK = {
    "get_channels": Does("read", OTHERS),
    "get_users_in_channel": Does("read", OWN),
    **{name: Does("read", OTHERS) for name in ("read_channel_messages", "read_inbox")},
    **{f"send_{what}_message": Does("send", OWN) for what in ("direct", "channel")},
    "add_user_to_channel": Does("write", OWN),
    "invite_user_to_slack": Does("send", OWN),
    "remove_user_from_slack": Does("delete", OWN),
    "get_webpage": Does("send", OTHERS),
    "post_webpage": Does("send", OWN),
}
EFFECTS: dict[str, dict[str, Does]] = {
    "workspace": MAIL | CALENDAR | FILES,
    "travel": MAIL | CALENDAR | TRAVEL,
    "banking": BANKING,
    "slack": SLACK,
}
"""By suite and tool; every tool of a suite must be here."""
