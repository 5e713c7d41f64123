import { type DtmfType, dtmfTypes } from '@patchbay/contract/shared/gateways'

const dtmfLabels: Readonly<Record<DtmfType, string>> = { rfc2833: 'RFC 2833', tones: 'Tones', info: 'SIP INFO' }

/** The DTMF modes that carriers can be given. SIP INFO is offered only if the carrier already uses it. */
export const dtmfOptions = (stored?: DtmfType) =>
  dtmfTypes.filter((type) => type !== 'info' || stored === 'info').map((value) => ({ value, label: dtmfLabels[value] }))
