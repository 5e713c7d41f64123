export const dtmfTypes = ['rfc2833', 'tones', 'info'] as const
export const trunkTypes = ['static_ip', 'auth', 'reg'] as const
export const sipProtocols = ['udp', 'tcp', 'tls', 'tls/srtp'] as const
export type SipProtocol = (typeof sipProtocols)[number]
export type TrunkType = (typeof trunkTypes)[number]
export type DtmfType = (typeof dtmfTypes)[number]

export const defaultSipPort = 5060
export const defaultSmppPort = 2775
export const singleAddress = 32
