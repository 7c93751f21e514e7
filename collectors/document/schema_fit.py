"""Making a value fit its schema: long texts are cut, and what the schema does not allow is left out."""

from collections import OrderedDict

from collectors.document import schema


def fit_to_schema(value, rule):
    """The value as far as its rule allows it; a node may report anything, the document stays valid."""
    rule = schema.resolved(rule)
    if isinstance(value, dict):
        return fitted_object(value, rule)
    if isinstance(value, list) and "items" in rule:
        items = [fit_to_schema(item, rule["items"]) for item in value]
        return [item for item in items if schema.fits(item, rule["items"])]
    if isinstance(value, str) and "maxLength" in rule:
        return value[: rule["maxLength"]]
    for choice in rule.get("anyOf", ()):
        fitted = fit_to_schema(value, choice)
        if schema.fits(fitted, choice):
            return fitted
    return value


def fitted_object(value, rule):
    fields = rule.get("properties", {})
    fitted_fields = OrderedDict()
    for name, field in value.items():
        field_rule = fields.get(name, rule.get("additionalProperties", False))
        if name not in fields and not schema.fits(name, rule.get("propertyNames", True)):
            continue
        if isinstance(field_rule, dict):
            field = fit_to_schema(field, field_rule)
            if schema.fits(field, field_rule):
                fitted_fields[name] = field
    return fitted_fields
