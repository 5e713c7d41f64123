import { expect, test } from 'vitest'
import { changedPart, diffLines } from './line-diff.ts'

const describeChanges = (left: string[], right: string[]) =>
  diffLines(left.join('\r\n'), right.join('\r\n')).flatMap(({ change, left: before, right: other }) =>
    change === 'same' ? [] : [`${change}: ${before ?? ''} | ${other ?? ''}`],
  )

test('compares headers by name and position, and SDP lines by what they describe', () => {
  expect(
    describeChanges(
      [
        'INVITE sip:1 SIP/2.0',
        'Via: a',
        'Via: b',
        'CSeq: 1 INVITE',
        'X: 1',
        '',
        'm=audio 1',
        'a=rtpmap:0 PCMU',
        'a=sendrecv',
        'm=video 1',
        'a=sendrecv',
      ],
      [
        'INVITE sip:1 SIP/2.0',
        'Via: a',
        'CSeq: 2 INVITE',
        'Authorization: x',
        '',
        'm=audio 1',
        'a=rtpmap:8 PCMA',
        'a=sendonly',
        'm=video 1',
        'a=sendrecv',
      ],
    ),
  ).toEqual([
    'left: Via: b | ',
    'changed: CSeq: 1 INVITE | CSeq: 2 INVITE',
    'right:  | Authorization: x',
    'left: X: 1 | ',
    'right:  | a=rtpmap:8 PCMA',
    'left: a=rtpmap:0 PCMU | ',
    'changed: a=sendrecv | a=sendonly',
  ])
})

test('reports no change for equal messages, and compares text that is not SIP', () => {
  expect(describeChanges(['SIP/2.0 200 OK', 'Via: a'], ['SIP/2.0 200 OK', 'Via: a'])).toEqual([])
  expect(describeChanges([''], ['\u0000'])).toEqual(['changed:  | \u0000'])
})

test.each([
  ['CSeq: 1 INVITE', 'CSeq: 2 INVITE', [6, 7]],
  ['a', 'aa', [1, 0]],
  ['', 'x', [0, 0]],
  ['abab', 'ab', [2, 0]],
] as const)('finds the lengths around the difference of %j and %j: %j', (one, other, part) =>
  expect(changedPart(one, other)).toEqual(part),
)
