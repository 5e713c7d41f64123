/** Compares the codecs of session descriptions (RFC 3551, RFC 8866 §6.6). Pure. */

/** A format of a media description: a codec, or the name of something that is not RTP. */
export interface SdpFormat {
  /** RTP payload type, or the name of the format. */
  payload: string
  /** Name and clock rate, such as `PCMU/8000`. The payload type if the description does not name it. */
  codec: string
  /** The value of `a=fmtp`, without the payload type. */
  parameters: string
}

/** RFC 3551 §6. Payload type 19 was comfort noise in a draft, and some gateways still use it. */
export const staticCodecs: ReadonlyMap<string, string> = new Map([
  ['0', 'PCMU/8000'],
  ['3', 'GSM/8000'],
  ['4', 'G723/8000'],
  ['5', 'DVI4/8000'],
  ['6', 'DVI4/16000'],
  ['7', 'LPC/8000'],
  ['8', 'PCMA/8000'],
  ['9', 'G722/8000'],
  ['10', 'L16/44100/2'],
  ['11', 'L16/44100'],
  ['12', 'QCELP/8000'],
  ['13', 'CN/8000'],
  ['14', 'MPA/90000'],
  ['15', 'G728/8000'],
  ['16', 'DVI4/11025'],
  ['17', 'DVI4/22050'],
  ['18', 'G729/8000'],
  ['19', 'CN/8000'],
  ['25', 'CelB/90000'],
  ['26', 'JPEG/90000'],
  ['28', 'nv/90000'],
  ['31', 'H261/90000'],
  ['32', 'MPV/90000'],
  ['33', 'MP2T/90000'],
  ['34', 'H263/90000'],
])

/** Other spellings of codec names, in lower case. G.729 Annex A is the same bit stream (RFC 4856 §2.1.9). */
const aliases: ReadonlyMap<string, string> = new Map([
  ['g729a', 'g729'],
  ['g729ab', 'g729'],
  ['g729b', 'g729'],
  ['g.729', 'g729'],
  ['g.729a', 'g729'],
  ['g7231', 'g723'],
  ['g723.1', 'g723'],
  ['g.722', 'g722'],
])

/** The clock rate of a codec without one, such as in `a=rtpmap:0 PCMU`. */
const usualRate = '8000'

/**
 * Returns one spelling for all of a codec, in lower case: without case (RFC 8866 §6.6), without the default of one
 * channel, with a clock rate of 8000 for G.722 (RFC 3551 §4.5.2), and without the channels of Opus, which are always 2
 * (RFC 7587 §7).
 */
const toComparable = (codec: string): string => {
  const [written = '', rate = usualRate, channels = '1'] = codec.toLowerCase().split('/')
  const name = aliases.get(written) ?? written
  if (name === 'g722') return `g722/${usualRate}`
  return channels === '1' || name === 'opus' ? `${name}/${rate}` : `${name}/${rate}/${channels}`
}

/** Returns the name of a codec in lower case, without its clock rate. */
export const getCodecName = (codec: string): string => toComparable(codec).split('/', 1)[0] ?? ''

/** Returns the clock rate of a codec in Hz. */
export const getClockRate = (codec: string): string => toComparable(codec).split('/')[1] ?? usualRate

/** Returns the parameter of `a=fmtp`, or undefined. The name is in lower case. */
export const getFormatParameter = ({ parameters }: SdpFormat, name: string): string | undefined => {
  for (const parameter of parameters.split(';')) {
    const [key = '', value = ''] = parameter.split('=', 2)
    if (key.trim().toLowerCase() === name) return value.trim().toLowerCase()
  }
  return undefined
}

const agreeOn = (name: string, byDefault: string) => (one: SdpFormat, other: SdpFormat) =>
  (getFormatParameter(one, name) ?? byDefault) === (getFormatParameter(other, name) ?? byDefault)

/** AMR frames are octet-aligned if a parameter says so or requires it (RFC 4867 §8.1). */
const isOctetAligned = (format: SdpFormat): boolean =>
  ['octet-align', 'crc', 'robust-sorting'].some((name) => getFormatParameter(format, name) === '1') ||
  getFormatParameter(format, 'interleaving') !== undefined

const parseModes = (format: SdpFormat): readonly string[] | undefined =>
  getFormatParameter(format, 'mode-set')
    ?.split(',')
    .map((mode) => mode.trim())

const haveCommonMode = (one: SdpFormat, other: SdpFormat): boolean => {
  const [modes, others] = [parseModes(one), parseModes(other)]
  return modes === undefined || others === undefined || modes.some((mode) => others.includes(mode))
}

const areSameAmr = (one: SdpFormat, other: SdpFormat): boolean =>
  isOctetAligned(one) === isOctetAligned(other) && haveCommonMode(one, other)

/**
 * Parameters without which two formats of the same name cannot be decoded: RFC 4867 §8.3.1, RFC 5577 §5.1, RFC 9628
 * §6. All others are a choice of the receiver, such as annexb of G.729 (RFC 7261) and mode of iLBC, or need not prevent
 * decoding, such as packetization-mode of H.264 (see `haveSameH264Configuration`).
 */
const parameterRules: ReadonlyMap<string, (one: SdpFormat, other: SdpFormat) => boolean> = new Map([
  ['amr', areSameAmr],
  ['amr-wb', areSameAmr],
  ['g7221', agreeOn('bitrate', '')],
  ['vp9', agreeOn('profile-id', '0')],
])

/** Spellings of the profiles whose streams programs decode with the same decoder: baseline and constrained baseline. */
const baselineProfile = /^(?:42....|4d[89a-f]...|58[89a-f]...)$/

/** Returns the profile of H.264 in profile-level-id, whose last byte is the level (RFC 6184 §8.1). */
const parseH264Profile = (format: SdpFormat): string | undefined => {
  const written = getFormatParameter(format, 'profile-level-id')?.toLowerCase()
  if (written === undefined || !/^[\da-f]{6}$/.test(written)) return undefined
  return baselineProfile.test(written) ? 'baseline' : written.slice(0, 4)
}

/** Returns whether two values are the same, or one of them is not stated. */
const agree = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined || other === undefined || one === other

/**
 * Returns whether two formats of H.264 have the same profile and packetization mode, which offer and answer share. The
 * level and all others are a choice of the receiver (RFC 6184 §8.2.2). A parameter that one of them does not state has a
 * default that many programs do not follow, so it proves nothing.
 */
export const haveSameH264Configuration = (one: SdpFormat, other: SdpFormat): boolean =>
  agree(parseH264Profile(one), parseH264Profile(other)) &&
  agree(getFormatParameter(one, 'packetization-mode'), getFormatParameter(other, 'packetization-mode'))

const isNamed = ({ payload, codec }: SdpFormat): boolean => payload !== codec

const areSame = (one: SdpFormat, other: SdpFormat): boolean => {
  // A dynamic payload type without a name means what the other side calls it.
  if (!isNamed(one) || !isNamed(other)) return one.payload.toLowerCase() === other.payload.toLowerCase()
  if (toComparable(one.codec) !== toComparable(other.codec)) return false
  return parameterRules.get(getCodecName(one.codec))?.(one, other) ?? true
}

/** Formats for DTMF, comfort noise, redundancy, and repair. They carry no audio or video of their own. */
const auxiliary = new Set([
  'telephone-event',
  'cn',
  'red',
  'rtx',
  'ulpfec',
  'flexfec',
  'flexfec-03',
  'parityfec',
  'tone',
  // Cisco gateways signal keys and tones with it.
  'x-nse',
])

/** Returns whether a codec carries audio or video of its own. */
const isMain = (codec: string): boolean => !auxiliary.has(getCodecName(codec))

/** Returns the codecs without those for DTMF, comfort noise, and redundancy. */
export const speechCodecs = (codecs: readonly string[]): string[] => codecs.filter(isMain)

interface WithFormats {
  formats: readonly SdpFormat[]
}

/**
 * Returns the formats of the first description that the second one has too, with their names. Payload types can differ
 * per direction (RFC 3264 §5.1).
 */
export const commonFormats = ({ formats }: WithFormats, others: WithFormats): SdpFormat[] =>
  formats.flatMap((format) => {
    const same = others.formats.find((other) => areSame(format, other))
    return same === undefined ? [] : [isNamed(format) ? format : same]
  })

/** Returns the codecs that carry audio or video and are in both descriptions. */
export const commonCodecs = (media: WithFormats, others: WithFormats): string[] =>
  speechCodecs(commonFormats(media, others).map(({ codec }) => codec))

/** Formats codecs as `PCMU, opus/48000`. Omits the usual clock rate of 8000 Hz. */
export const formatCodecs = (codecs: readonly string[]): string =>
  codecs.length === 0 ? 'no codec' : codecs.map((codec) => codec.replace(/\/8000$/, '')).join(', ')
