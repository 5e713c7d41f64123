import { type AlertObjectKind, maxObjectIdLength } from '@patchbay/contract/shared/alert-objects'

/** Finds what an alert is about. Pure. */

export interface AlertObject {
  object_kind: AlertObjectKind
  /** SID of the carrier, name of the vendor, or the URL without its query. Null for the owner of the alert. */
  object_id: string | null
}

/** The members of an alert that determine its object. Alerts about carriers have a member that others lack. */
interface AlertFacts {
  account_sid: string | null
  alert_type: string
  message: string
  vendor: string | null
  voip_carrier_sid?: unknown
}

/** The messages of these types contain the URL (docs/reference/platform-api/call-records.md#alert-types). */
const isAboutUrl = (alert_type: string): boolean =>
  alert_type.startsWith('webhook-') || alert_type === 'invalid-app-payload' || alert_type === 'play-url-notfound'

/**
 * Returns the first URL of a text without credentials, query, and fragment, which can differ from call to call.
 * Returns undefined if the text contains no URL.
 */
const findUrl = (text: string): string | undefined => {
  const [url] = /(?:https?|wss?):\/\/[^\s"'<>?#]+/i.exec(text) ?? []
  return url?.replace(/\/\/[^/@]*@/, '//').replace(/[.,:;]$/, '')
}

/** Returns the object of an alert. */
export const toAlertObject = (alert: AlertFacts): AlertObject => {
  const { account_sid, alert_type, message, vendor, voip_carrier_sid } = alert
  if (typeof voip_carrier_sid === 'string' && voip_carrier_sid !== '')
    return { object_kind: 'carrier', object_id: voip_carrier_sid.slice(0, maxObjectIdLength) }
  if (vendor !== null) return { object_kind: 'vendor', object_id: vendor.slice(0, maxObjectIdLength) }
  const url = isAboutUrl(alert_type) ? findUrl(message) : undefined
  if (url !== undefined) return { object_kind: 'url', object_id: url.slice(0, maxObjectIdLength) }
  return {
    object_kind: account_sid === null || alert_type.startsWith('service-provider-') ? 'service_provider' : 'account',
    object_id: null,
  }
}
