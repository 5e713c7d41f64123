import type { Pseudonyms } from './pseudonyms.ts'

/**
 * Masks session descriptions (RFC 8866). Keys are always masked, and lines that are not listed here are left out, such as
 * names, email addresses, and phone numbers of their senders. Pure.
 */

type MaskLine = (value: string, pseudonyms: Pseudonyms) => string | undefined

const matching =
  (pattern: RegExp): MaskLine =>
  (value) =>
    pattern.test(value) ? value : undefined

/** A place that an address takes in a line. */
const address = String.raw`(?:[0-9a-f:.]{2,45}|[\w.-]{1,255})`

/** Masks the addresses at the places of a pattern's groups. */
const masking = (pattern: RegExp, hostGroups: readonly number[]): MaskLine => {
  return (value, { maskHost }) => {
    const match = pattern.exec(value)
    if (match === null) return undefined
    const groups = match
      .slice(1)
      .map((group, at) => (hostGroups.includes(at) && group ? maskHost(group) : (group ?? '')))
    return groups.every((group) => group !== undefined) ? groups.join('') : undefined
  }
}

const keyed = (value: string): string | undefined => {
  const [, suite] = /^(\d{1,9} [\w-]{1,64}) inline:/.exec(value) ?? []
  return suite && `${suite} inline:masked`
}

const connection = masking(new RegExp(`^(IN IP[46] )(${address})((?:/\\d{1,3}){0,2})$`, 'i'), [1])

const attributes: Readonly<Record<string, MaskLine>> = {
  candidate: masking(
    new RegExp(
      `^([\\w+/]{1,32} \\d{1,3} [a-z]{2,4} \\d{1,10} )(${address})( \\d{1,5} typ [a-z]{1,10})(?:( raddr )(${address})( rport \\d{1,5}))?(?: .*)?$`,
      'i',
    ),
    [1, 4],
  ),
  crypto: keyed,
  fingerprint: matching(/^[a-z]{2,5}-?\d{0,3} (?:[0-9a-f]{2}:){15,63}[0-9a-f]{2}$/i),
  fmtp: (value, { maskIdentifier }) =>
    /^\d{1,3} [\w=;, ./+-]{1,500}$/.test(value) ? maskIdentifier(value) : undefined,
  framerate: matching(/^\d{1,3}(?:\.\d{1,3})?$/),
  group: matching(/^[A-Z]{2,8}(?: [\w-]{1,16}){0,16}$/),
  'ice-options': matching(/^[a-z0-9 +-]{1,64}$/),
  'ice-pwd': () => 'masked',
  'ice-ufrag': () => 'masked',
  maxptime: matching(/^\d{1,5}$/),
  mid: matching(/^[\w-]{1,16}$/),
  ptime: matching(/^\d{1,5}$/),
  rtcp: masking(new RegExp(`^(\\d{1,5})(?:( IN IP[46] )(${address}))?$`, 'i'), [2]),
  'rtcp-fb': matching(/^(?:\d{1,3}|\*) [a-z -]{1,40}$/),
  rtpmap: matching(/^\d{1,3} [\w.-]{1,32}\/\d{1,6}(?:\/\d{1,2})?$/),
  setup: matching(/^[a-z]{1,10}$/),
  silenceSupp: matching(/^(?:on|off)(?: (?:-|\d{1,4})){0,4}$/),
}

const attributeFlag =
  /^(?:sendrecv|sendonly|recvonly|inactive|rtcp-mux(?:-only)?|rtcp-rsize|ice-lite|end-of-candidates|bundle-only|T38\w{1,24}(?::[\w]{1,24})?)$/

const attribute: MaskLine = (value, pseudonyms) => {
  if (attributeFlag.test(value)) return value
  const colon = value.indexOf(':')
  const name = value.slice(0, Math.max(colon, 0))
  if (!Object.hasOwn(attributes, name)) return undefined
  const masked = attributes[name]?.(value.slice(colon + 1), pseudonyms)
  return masked === undefined ? undefined : `${name}:${masked}`
}

const lines: Readonly<Record<string, MaskLine>> = {
  a: attribute,
  b: matching(/^[\w-]{1,16}:\d{1,9}$/),
  c: connection,
  m: matching(/^[a-z]{1,16} \d{1,5}(?:\/\d{1,3})? [\w/]{1,32}(?: (?:\d{1,3}|[a-z][\w-]{0,15}|\*)){1,64}$/i),
  o: (value, pseudonyms) => {
    const [, id, version = '', rest = ''] = /^\S{1,255} (\d{1,20}) (\d{1,20}) (.*)$/.exec(value) ?? []
    const masked = connection(rest, pseudonyms)
    return id && masked && `- ${pseudonyms.maskIdentifier(id)} ${pseudonyms.maskIdentifier(version)} ${masked}`
  },
  s: () => '-',
  t: matching(/^\d{1,20} \d{1,20}$/),
  v: matching(/^0$/),
}

/** Masks a session description. */
export const maskSdp = (body: string, pseudonyms: Pseudonyms): string =>
  body
    .split(/\r?\n/)
    .flatMap((line) => {
      const type = line.slice(0, 1)
      const masked =
        line[1] === '=' && Object.hasOwn(lines, type) ? lines[type]?.(line.slice(2).trimEnd(), pseudonyms) : undefined
      return masked === undefined ? [] : [`${type}=${masked}\r\n`]
    })
    .join('')
