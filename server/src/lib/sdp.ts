/** Payload types of audio (RFC 3551 §6), and of DTMF events, whose number is chosen freely (RFC 4733 §2.1). */
const encodings = { 0: 'PCMU/8000', 8: 'PCMA/8000', 101: 'telephone-event/8000' } as const

/**
 * Creates a session description with one audio stream in both directions (RFC 8866).
 * @param formats payload types in the order of preference
 */
export const createAudioSdp = (address: string, port: number, formats: readonly (keyof typeof encodings)[]): string =>
  [
    'v=0',
    `o=- 1 1 IN IP4 ${address}`,
    's=-',
    `c=IN IP4 ${address}`,
    't=0 0',
    `m=audio ${port} RTP/AVP ${formats.join(' ')}`,
    ...formats.map((format) => `a=rtpmap:${format} ${encodings[format]}`),
    'a=sendrecv',
    '',
  ].join('\r\n')
