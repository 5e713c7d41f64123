/**
 * Groups of alerts. The object of an alert is its cause. Together with the type and the owner, it identifies the group.
 */

/** Maximum length of the grouped period in days. A longer period begins later. */
export const maxGroupedDays = 31

/** Maximum number of groups of a period. The groups with the newest alerts are returned. */
export const maxAlertGroups = 1000

export const alertObjectKinds = ['carrier', 'vendor', 'url', 'account', 'service_provider'] as const
export type AlertObjectKind = (typeof alertObjectKinds)[number]

/** Maximum length of `object_id`. Longer URLs are truncated, so they share a group. */
export const maxObjectIdLength = 255
