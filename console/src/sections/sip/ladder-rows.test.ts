import { toLadder } from '@patchbay/rules/sip/ladder'
import { expect, test } from 'vitest'
import { formatAxisTime, formatMedia, getWait, having, toArrowLook, toColumnSpan } from './ladder-rows.ts'

test('an arrow goes from the middle of one lane to that of another', () => {
  expect(toColumnSpan({ from: 0, to: 1 }, 2)).toEqual({ start: 0.25, length: 0.5, isForward: true })
  expect(toColumnSpan({ from: 3, to: 1 }, 4)).toEqual({ start: 0.375, length: 0.5, isForward: false })
  expect(toColumnSpan({ from: 0, to: 0 }, 1).length).toBeGreaterThan(0)
})

test.each([
  ['INVITE sip:1 SIP/2.0', 'request'],
  ['SIP/2.0 183 Session Progress', 'provisional'],
  ['SIP/2.0 202 Accepted', 'success'],
  ['SIP/2.0 302 Moved', 'failure'],
  ['HTTP/1.1 200 OK', 'unknown'],
])('%s looks like %s, and is found by its text', (start, look) => {
  const { arrows } = toLadder({ data: { messages: [{ raw: `${start}\r\nCSeq: 1 INVITE\r\n\r\n` }] } })
  expect(arrows.map(toArrowLook)).toEqual([look])
  expect([having(arrows, ' cseq: 1 ').length, having(arrows, 'nowhere').length]).toEqual([1, 0])
})

test('describes media by codec, address, and direction', () => {
  const audio = {
    kind: 'audio',
    port: 4000,
    address: '10.0.0.1',
    direction: 'sendonly',
    usesIce: false,
    isBundleOnly: false,
  } as const
  const codecs = ['PCMU/8000', 'opus/48000/2', 'telephone-event/8000']
  expect(formatMedia([{ ...audio, codecs }])).toBe('audio sendonly: PCMU, opus/48000/2')
  expect(formatMedia([{ ...audio, address: '0.0.0.0', codecs: [] }])).toBe('audio held (0.0.0.0): no codec')
  expect(formatMedia([{ ...audio, address: '0.0.0.0', port: 9, usesIce: true, codecs }])).toBe(
    'audio sendonly: PCMU, opus/48000/2',
  )
  expect(formatMedia([{ ...audio, port: 0, codecs }])).toBe('audio refused')
  expect(formatMedia([{ ...audio, port: 0, isBundleOnly: true, codecs: [] }])).toBe('audio sendonly: no codec')
})

test('times on the axis are seconds, with fewer digits for long ones', () => {
  expect([0, 4_000, 73_240_000, 3_600_540_000].map(formatAxisTime)).toEqual(['0.000', '0.004', '73.240', '3600.5'])
})

test('a long wait is measured between messages that follow each other', () => {
  const [answer, next, later] = [{ id: 3 }, { id: 4, sinceBefore: 13_154_000 }, { id: 4, sinceBefore: 180_000_000 }]
  expect(getWait(next, answer)).toBe('13.15 s')
  expect(getWait(later, answer)).toBe('180 s')
  expect(getWait({ id: 4, sinceBefore: 999_000 }, answer)).toBeUndefined()
  // A filter hides the message in between.
  expect(getWait(next, { id: 2 })).toBeUndefined()
  expect(getWait({ id: 0, sinceBefore: 0 }, undefined)).toBeUndefined()
})
