import { expect, test } from 'vitest'
import { type ParsedSipMessage, parseSip } from './parser.ts'
import type { Responder } from './refused-call.ts'
import { describeWarning, findMediaProblem } from './warnings.ts'

const respond = (status: string, ...warnings: readonly string[]): ParsedSipMessage => {
  const headers = warnings.map((value) => `Warning: ${value}`)
  const parsed = parseSip([`SIP/2.0 ${status}`, 'CSeq: 1 INVITE', ...headers, '', ''].join('\r\n'))
  if (parsed === undefined) throw new Error('This is not SIP')
  return parsed
}

const carrier: Responder = { hop: 'carrier', name: 'Carrier Bluewave', isOutbound: true, kind: 'carrier' }
const getTitle = (response: ParsedSipMessage, responder = carrier) => describeWarning(response, responder)?.title

test.each([
  ['300 gw.example "Incompatible network protocol"', 'their network protocol'],
  ['301 gw.example', 'the format of their address'],
  ['302 gw.example ""', 'their transport protocol'],
  ['370 gw.example "64 kbit/s", 399 gw.example "trunk group 7"', 'their bandwidth'],
])('a warning names what was wrong with the offered media: %s', (warning, name) => {
  for (const status of ['488 Not Acceptable Here', '606 Not Acceptable']) {
    expect(findMediaProblem(respond(status, warning))?.name).toBe(name)
    expect(getTitle(respond(status, warning))).toBe(
      `Carrier Bluewave did not accept the offered media because of ${name}`,
    )
  }
})

test.each([
  ['503 Service Unavailable', '300 gw.example'],
  ['488 Not Acceptable Here', '300 gw.example, 305 gw.example'],
  ['488 Not Acceptable Here', '304 gw.example "RTP/SAVP required"'],
  ['488 Not Acceptable Here', '305 gw.example "G729"'],
  ['488 Not Acceptable Here', '399 gw.example "300"'],
  ['488 Not Acceptable Here', '3000 gw.example'],
  ['488 Not Acceptable Here', '381 gw.example "SIPS Required"'],
  ['403 Forbidden', '381 gw.example "SIPS Required"'],
])('a warning of another response, or one of several, explains nothing: %s, %s', (status, warning) => {
  expect(describeWarning(respond(status, warning), carrier)).toBeUndefined()
})

test.each([
  ['380 gw.example "SIPS Not Allowed"', 'accepts no calls with the scheme SIPS', 'Turn off the SIPS scheme'],
  ['381 gw.example "SIPS Required"', 'requires the scheme SIPS', 'Choose TLS with the SIPS scheme'],
])('a warning names the scheme: %s', (warning, name, advice) => {
  const response = respond('480 Temporarily Unavailable', warning)
  expect(describeWarning(response, carrier)).toMatchObject({
    title: `Carrier Bluewave ${name}`,
    advice: expect.stringContaining(advice),
    severity: 'bad',
    isOrdinary: false,
  })
  expect(describeWarning(response, { ...carrier, hop: 'client', kind: 'client' })?.advice).toContain('Call a URI')
  expect(getTitle(response, { ...carrier, hop: 'unknown' })).toBe(`The host that sent the response ${name}`)
})
