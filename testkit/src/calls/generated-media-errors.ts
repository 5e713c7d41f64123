import type { MediaOptions, Payload, Session, Stream } from './generated-sessions.ts'

/** Faults of answers, each of which the offer does not allow (RFC 3264 §6), and of offers. */

export interface MediaError {
  /** Options without which the fault does not exist. */
  needs: Partial<MediaOptions>
  answer?: (answer: Session, offer: Session) => Session
  offer?: (offer: Session) => Session
  /** True if only the called party can be at fault: a caller that answers so puts the call on hold. */
  isOfCalled?: boolean
  /** The rules that report it when the call begins, and when a re-INVITE or an UPDATE has it. */
  initial: readonly string[]
  change: readonly string[]
  /** Part of the finding. */
  text: RegExp
}

const plain: Partial<MediaOptions> = { security: 'none', ice: 'none' }

const mapAudio =
  (map: (stream: Stream) => Partial<Stream>) =>
  (session: Session): Session => ({
    ...session,
    streams: session.streams.map((stream) => (stream.kind === 'audio' ? { ...stream, ...map(stream) } : stream)),
  })

const withAudio = (more: Partial<Stream>) => mapAudio(() => more)

const replaceAttributes = (pattern: RegExp, replacement: string) =>
  mapAudio(({ attributes }) => ({
    attributes: attributes.map((one) => one.replace(pattern, replacement)).filter((one) => one !== ''),
  }))

const addAttribute = (attribute: string) => mapAudio(({ attributes }) => ({ attributes: [...attributes, attribute] }))

const badAnswer = { initial: ['badAnswer'], change: ['badChange'] } as const

/** An answer that stops the audio. During a call it is hold, which is no fault. */
const stopped = { isOfCalled: true, initial: ['oneWay'], change: [] } as const

const dtls: Partial<MediaOptions> = { security: 'dtls', roles: ['actpass', 'active'] }

const withH264 =
  (fmtp: string) =>
  (session: Session): Session => ({
    ...session,
    streams: session.streams.map((stream): Stream => {
      if (stream.kind !== 'video') return stream
      const payload: Payload = { number: '109', name: 'H264/90000', fmtp }
      return { ...stream, payloads: [payload] }
    }),
  })

const videoNeeds: Partial<MediaOptions> = { ...plain, hasVideo: true, declinesVideo: false }

export const mediaErrors = {
  'encryption not offered': {
    needs: plain,
    answer: withAudio({ protocol: 'RTP/SAVP', attributes: ['crypto:1 AES_CM_128_HMAC_SHA1_80 inline:PS1u'] }),
    ...badAnswer,
    text: /one side encrypts and the other does not/,
  },
  'feedback not offered': {
    needs: plain,
    answer: withAudio({ protocol: 'RTP/AVPF' }),
    ...badAnswer,
    text: /answers RTP\/AVP with RTP\/AVPF/,
  },
  'no key': {
    needs: { security: 'keys', ice: 'none' },
    answer: replaceAttributes(/^crypto:.*/, ''),
    ...badAnswer,
    text: /without a key/,
  },
  'another suite': {
    needs: { security: 'keys' },
    answer: replaceAttributes(/^crypto:\d \S+/, 'crypto:1 F8_128_HMAC_SHA1_80'),
    ...badAnswer,
    text: /answers with the encryption 1 F8_128/,
  },
  'another tag': {
    needs: { security: 'keys with feedback' },
    answer: replaceAttributes(/^crypto:\d/, 'crypto:9'),
    ...badAnswer,
    text: /answers with the encryption 9 A/,
  },
  'a key that was not offered': {
    needs: plain,
    answer: addAttribute('crypto:1 AES_CM_128_HMAC_SHA1_80 inline:PS1u'),
    ...badAnswer,
    text: /answers with a=crypto, but no key was offered/,
  },
  'no fingerprint': {
    needs: dtls,
    answer: replaceAttributes(/^fingerprint:.*/, ''),
    ...badAnswer,
    text: /without a fingerprint/,
  },
  'the same role': {
    needs: dtls,
    offer: replaceAttributes(/^setup:.*/, 'setup:active'),
    answer: replaceAttributes(/^setup:.*/, 'setup:active'),
    ...badAnswer,
    text: /a=setup:active with a=setup:active/,
  },
  'a direction that does not fit': {
    needs: plain,
    offer: withAudio({ direction: 'sendonly' }),
    answer: withAudio({ direction: 'sendonly' }),
    ...badAnswer,
    text: /answers a=sendonly with a=sendonly, which is not compatible/,
  },
  'no ICE': {
    needs: { security: 'none', ice: 'trickle' },
    answer: mapAudio(({ attributes }) => ({ attributes: attributes.filter((one) => !one.startsWith('ice-')) })),
    ...badAnswer,
    text: /answers without ICE/,
  },
  'rtcp-mux not offered': {
    needs: plain,
    answer: addAttribute('rtcp-mux'),
    ...badAnswer,
    text: /a=rtcp-mux for audio, which was not offered/,
  },
  'a bundle that was not offered': {
    needs: plain,
    answer: (answer) => ({ ...addAttribute('mid:0')(answer), attributes: ['group:BUNDLE 0'] }),
    ...badAnswer,
    text: /audio in a bundle, which was not offered/,
  },
  'annexb=yes': {
    needs: { ...plain, codecs: ['g729'] },
    answer: mapAudio(({ payloads }) => ({
      payloads: payloads.map((one) => ({ ...one, fmtp: one.fmtp.replace('annexb=no', 'annexb=yes') })),
    })),
    ...badAnswer,
    text: /annexb=yes/,
  },
  'fewer streams': {
    needs: videoNeeds,
    answer: (answer) => ({ ...answer, streams: answer.streams.filter(({ kind }) => kind !== 'video') }),
    ...badAnswer,
    text: /answers 2 media streams with 1/,
  },
  'streams in another order': {
    needs: videoNeeds,
    answer: (answer) => ({ ...answer, streams: answer.streams.toReversed() }),
    ...badAnswer,
    text: /other streams than were offered, or in another order/,
  },
  'a stream that was not offered': {
    needs: videoNeeds,
    offer: (offer) => ({
      ...offer,
      streams: offer.streams.map((one) => (one.kind === 'video' ? { ...one, port: 0, attributes: [] } : one)),
    }),
    answer: (answer) => ({
      ...answer,
      streams: answer.streams.map((one) => (one.kind === 'video' ? { ...one, port: 30_002 } : one)),
    }),
    ...badAnswer,
    text: /answers a stream that was not offered/,
  },
  'another packetization mode': {
    needs: videoNeeds,
    offer: withH264('profile-level-id=42e01f;packetization-mode=1'),
    answer: withH264('profile-level-id=42e01f;packetization-mode=0'),
    ...badAnswer,
    text: /answers H264 with profile-level-id=42e01f;packetization-mode=0, but .*packetization-mode=1 was offered/,
  },
  'another profile': {
    needs: videoNeeds,
    offer: withH264('profile-level-id=42e01f'),
    answer: withH264('profile-level-id=640028'),
    ...badAnswer,
    text: /answers H264 with profile-level-id=640028/,
  },
  'another codec': {
    needs: { ...plain, codecs: ['pcma', 'pcmu'] },
    answer: withAudio({ payloads: [{ number: '18', name: 'G729/8000', fmtp: '' }] }),
    initial: ['codecs'],
    change: ['codecs'],
    text: /No codec in common/,
  },
  'another packet format': {
    needs: { ...plain, codecs: ['amr'] },
    answer: mapAudio(({ payloads }) => ({
      payloads: payloads.map((one) => ({ ...one, fmtp: one.fmtp.replace('octet-align=1', '') })),
    })),
    initial: ['codecs'],
    change: ['codecs'],
    text: /No codec in common: .*octet-align=1/,
  },
  'no audio': {
    needs: plain,
    answer: withAudio({ direction: 'inactive' }),
    ...stopped,
    text: /^No audio: .* sent a=inactive/,
  },
  'only listening': {
    needs: plain,
    answer: withAudio({ direction: 'recvonly' }),
    ...stopped,
    text: /^One-way audio: .* sent a=recvonly/,
  },
  'no address': {
    needs: { ...plain, hasVideo: false },
    answer: (answer) => ({ ...answer, address: '0.0.0.0' }),
    ...stopped,
    text: /^One-way audio: .* sent the address 0\.0\.0\.0/,
  },
  'no line with an address': {
    needs: { ...plain, hasVideo: false },
    answer: (answer) => ({ ...answer, address: '' }),
    ...badAnswer,
    text: /answers without an address/,
  },
  'audio refused': {
    needs: { ...plain, hasVideo: false },
    answer: withAudio({ port: 0 }),
    ...stopped,
    text: /^No audio: .* sent port 0/,
  },
  'a private address': {
    needs: { ice: 'none' },
    answer: (answer) => ({ ...answer, address: '192.168.1.40' }),
    initial: ['privateMedia'],
    change: ['privateMedia'],
    text: /192\.168\.1\.40:\d+, a private address/,
  },
} as const satisfies Readonly<Record<string, MediaError>>

export type MediaErrorName = keyof typeof mediaErrors
