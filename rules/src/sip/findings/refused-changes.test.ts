import type { FlowMessage } from '@patchbay/testkit/calls/call-flows'
import { analyzeChanged, moveAfter } from '@patchbay/testkit/calls/changed-flow'
import { describe, expect, test } from 'vitest'

describe('a refused switch to fax', () => {
  const name = 'faulty/fax-refused-and-hung-up'

  test('ended the call that was hung up within 10 s', () => {
    expect(analyzeChanged(name, 'fax')).toEqual([
      'warn: The caller (203.0.113.7:5060) refused to switch the call to fax (T.38) with 488 Not Acceptable Here and hung up 6.85 s later.',
    ])
    expect(analyzeChanged('faulty/fax-refused-by-platform', 'fax')).toEqual([
      'warn: The caller (drachtio, 10.0.0.5:5060) refused to switch the call to fax (T.38) with 488 Not Acceptable Here, and the called party (203.0.113.7:5060) hung up 5.85 s later.',
    ])
  })

  const isNote = expect.stringMatching(/^info: .* the fax can continue as audio\.$/)

  test('ended nothing if the call went on for longer', () => {
    expect(analyzeChanged(name, 'fax', moveAfter(12, 3))).toEqual([
      expect.stringMatching(/^warn: .* hung up 9\.85 s later/),
    ])
    expect(analyzeChanged(name, 'fax', moveAfter(12, 4))).toEqual([isNote])
  })

  test('ended nothing if the two sides agreed on audio for it', () => {
    expect(analyzeChanged('healthy/fax-refused-then-audio', 'fax', moveAfter(50, -83))).toEqual([isNote])
  })

  test('ended the call if it was declined with port 0', () => {
    const declined = 'healthy/fax-t38-declined-with-port-0'
    expect(analyzeChanged(declined, 'fax')).toEqual([
      expect.stringMatching(/^info: .* The fax can continue as audio\.$/),
    ])
    expect(analyzeChanged(declined, 'fax', moveAfter(20, -8))).toEqual([
      expect.stringMatching(/^warn: .* declined fax over T\.38 with port 0 and hung up 7\.90 s later\.$/),
    ])
  })
})

describe('a refused change of codecs', () => {
  const name = 'faulty/change-refused-and-hung-up'
  const byOther = (message: FlowMessage): FlowMessage =>
    message.text.includes(' BYE\r\n')
      ? { ...message, text: message.text.replace(/^From: (.*)\r\nTo: (.*)$/m, 'From: $2\r\nTo: $1') }
      : message

  test('ended the call if the side that asked for it hung up immediately', () => {
    expect(analyzeChanged(name, 'refusedChange')).toEqual([expect.stringMatching(/^warn: .* hung up 0\.150 s later/)])
  })

  test.each([
    ['that side hung up later', moveAfter(20.25, 1)],
    ['the other side hung up', byOther],
  ])('left the session unchanged if %s', (_what, change) => {
    expect(analyzeChanged(name, 'refusedChange', change)).toEqual([
      expect.stringMatching(/^info: .* The session stays unchanged\.$/),
    ])
  })
})

describe('a resume that is answered with a=inactive', () => {
  const name = 'faulty/resume-answered-inactive'
  const text =
    'At 30.00 s the caller (203.0.113.7:5060) ended its hold, and the called party (10.0.0.5:5060) answered with a=inactive: neither hears the other.'

  test('is a warning if the call ended so', () => {
    expect(analyzeChanged(name, 'hold')).toContain(`warn: ${text}`)
  })

  test('is a note if the end was not captured', () => {
    const withoutEnd = (message: FlowMessage): FlowMessage =>
      message.seconds > 40 ? { ...message, text: message.text.replaceAll('BYE', 'INFO') } : message
    expect(analyzeChanged(name, 'hold', withoutEnd)).toContain(`info: ${text}`)
  })

  test('is a hold of the other side if that plays music', () => {
    const withMusic = (message: FlowMessage): FlowMessage =>
      message.seconds > 30 ? { ...message, text: message.text.replace('a=inactive', 'a=sendonly') } : message
    expect(analyzeChanged(name, 'hold', withMusic).at(-1)).toContain('put the call on hold with a=sendonly')
  })
})
