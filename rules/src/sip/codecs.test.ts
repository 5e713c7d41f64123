import { describe, expect, test } from 'vitest'
import {
  commonCodecs,
  commonFormats,
  formatCodecs,
  getClockRate,
  type SdpFormat,
  speechCodecs,
  staticCodecs,
} from './codecs.ts'

/** Writes a format as `96 AMR/8000 octet-align=1`. */
const format = (text: string): SdpFormat => {
  const [payload = '', codec, ...parameters] = text.split(' ')
  return { payload, codec: codec ?? staticCodecs.get(payload) ?? payload, parameters: parameters.join(' ') }
}

const media = (...labels: string[]) => ({ formats: labels.map(format) })

describe('a codec of an answer', () => {
  test.each([
    ['0', '0 pcmu/8000'],
    ['0 PCMU/8000', '0 PCMU/8000/1'],
    ['8 PCMA/8000', '8 PCMA'],
    ['9 G722/8000', '9 G722/16000'],
    ['18 G729/8000', '18 G729A/8000'],
    ['18', '96 G729/8000 annexb=no'],
    ['18 G729/8000 annexb=no', '18 G729/8000 annexb=yes'],
    ['4', '4 G7231/8000'],
    ['111 opus/48000/2', '96 OPUS/48000'],
    ['10', '97 L16/44100/2'],
    ['97 iLBC/8000 mode=20', '98 iLBC/8000'],
    ['96 AMR/8000', '97 AMR/8000 octet-align=0; mode-set=7'],
    ['96 AMR-WB/16000 mode-set=0,1,2', '96 AMR-WB/16000 mode-set=2,8'],
    ['96 AMR/8000 octet-align=1', '96 AMR/8000 robust-sorting=1'],
    ['115 G7221/16000 bitrate=32000', '115 G7221/16000 bitrate=32000'],
    [
      '102 H264/90000 packetization-mode=1;profile-level-id=42e01f',
      '97 H264/90000 profile-level-id=42001f;packetization-mode=1',
    ],
    ['102 H264/90000 packetization-mode=1', '97 H264/90000'],
    ['96 VP9/90000', '98 VP9/90000 profile-id=0'],
    // An answer without a name means what the offer calls the number.
    ['96 AMR/8000 octet-align=1', '96'],
  ])('%s and %s are the same', (offered, answered) => {
    expect(commonFormats(media(answered), media(offered))).toHaveLength(1)
    expect(commonCodecs(media(offered), media(answered))).toHaveLength(1)
  })

  test.each([
    ['0', '8'],
    ['111 opus/48000/2', '111 opus/16000'],
    ['97 speex/8000', '98 speex/16000'],
    ['10', '11'],
    ['9', '99 G7221/16000'],
    ['96 AMR/8000', '96 AMR/8000 octet-align=1'],
    ['96 AMR/8000', '96 AMR/8000 crc=1'],
    ['96 AMR/8000', '96 AMR/8000 interleaving=30'],
    ['96 AMR/8000 mode-set=0,1', '96 AMR/8000 mode-set=7'],
    ['115 G7221/16000 bitrate=24000', '115 G7221/16000 bitrate=32000'],
    ['96 VP9/90000', '98 VP9/90000 profile-id=2'],
    ['96 AMR/8000', '97'],
    ['2 G726-32/8000', '2 AAL2-G726-32/8000'],
  ])('%s and %s differ', (offered, answered) => {
    expect(commonFormats(media(answered), media(offered))).toEqual([])
  })

  test('is named as the offer names its number, and is none if that is DTMF', () => {
    const offer = media('0', '96 AMR/8000', '101 telephone-event/8000', '13', '121 RED/8000')
    expect(commonCodecs(media('96', '101', '13', '121'), offer)).toEqual(['AMR/8000'])
  })
})

test('formats for DTMF, comfort noise, redundancy, and repair carry no audio or video', () => {
  const all = ['PCMU/8000', 'Telephone-Event/48000', 'CN/8000', 'red/48000/2', 'rtx/90000', 'ulpfec/90000', 'VP8/90000']
  expect(speechCodecs(all)).toEqual(['PCMU/8000', 'VP8/90000'])
})

test('formats codecs without the usual clock rate', () => {
  expect(formatCodecs(['PCMU/8000', 'opus/48000/2'])).toBe('PCMU, opus/48000/2')
  expect(formatCodecs([])).toBe('no codec')
})

test.each([
  ['G722/16000', '8000'],
  ['opus/48000/2', '48000'],
  ['telephone-event', '8000'],
])('the clock rate of %s is %s', (codec, rate) => expect(getClockRate(codec)).toBe(rate))
