/** Validation of alert destinations, shared by the forms and the server. */

export const destinationKinds = ['webhook', 'slack', 'pagerduty', 'email'] as const
export type DestinationKind = (typeof destinationKinds)[number]

/** Labels of the kinds. */
export const destinationKindLabels: Readonly<Record<DestinationKind, string>> = {
  webhook: 'Webhook',
  slack: 'Slack',
  pagerduty: 'PagerDuty',
  email: 'Email',
}

/** Maximum per account, and per service provider for its own destinations. */
export const maxDestinations = 20

/** Alerts per minute that are sent individually. Further alerts are sent together. */
export const maxSingleAlerts = 5

const mailAddress = /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[a-z\d](?:[a-z\d.-]*[a-z\d])?$/iu

const validateWebhookTarget = (target: string): string | undefined => {
  const url = URL.canParse(target) ? new URL(target) : undefined
  if (url === undefined || target !== target.trim() || !['http:', 'https:'].includes(url.protocol))
    return 'must be an http or https URL'
  return url.username || url.password ? 'must be a URL without a user name and password' : undefined
}

/** The integration key of an "Events API v2" integration of a PagerDuty service. */
const pagerDutyKey = /^[a-z\d]{32}$/i

const validateMailAddress = (target: string): string | undefined =>
  mailAddress.test(target) && target.length <= 254 ? undefined : 'must be an email address'

const validators: Readonly<Record<DestinationKind, (target: string) => string | undefined>> = {
  webhook: validateWebhookTarget,
  slack: validateWebhookTarget,
  pagerduty: (target) => (pagerDutyKey.test(target) ? undefined : 'must be an integration key of 32 characters'),
  email: validateMailAddress,
}

/** Returns the error of a destination's target, or undefined if it is valid. */
export const validateDestination = (kind: DestinationKind, target: string): string | undefined =>
  validators[kind](target)
