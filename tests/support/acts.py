"""Acts in the audit log, for several test modules."""


def acts(store, **asked):
    return [(act.survey, act.account, act.action) for act in store.audit.acts(**asked)]
