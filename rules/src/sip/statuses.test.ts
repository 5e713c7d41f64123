import { describe, expect, test } from 'vitest'
import { describeStatus, formatStatus, registeredStatuses, sipStatusName } from './statuses.ts'

/** The final statuses of the IANA registry, with the RFC that defines each. RFC 3261 if none is named. */
const registry: readonly (readonly [status: number, phrase: string, rfc?: number])[] = [
  [200, 'OK'],
  [202, 'Accepted', 6665],
  [204, 'No Notification', 5839],
  [300, 'Multiple Choices'],
  [301, 'Moved Permanently'],
  [302, 'Moved Temporarily'],
  [305, 'Use Proxy'],
  [380, 'Alternative Service'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [402, 'Payment Required'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [407, 'Proxy Authentication Required'],
  [408, 'Request Timeout'],
  [410, 'Gone'],
  [412, 'Conditional Request Failed', 3903],
  [413, 'Request Entity Too Large'],
  [414, 'Request-URI Too Long'],
  [415, 'Unsupported Media Type'],
  [416, 'Unsupported URI Scheme'],
  [417, 'Unknown Resource-Priority', 4412],
  [420, 'Bad Extension'],
  [421, 'Extension Required'],
  [422, 'Session Interval Too Small', 4028],
  [423, 'Interval Too Brief'],
  [424, 'Bad Location Information', 6442],
  [425, 'Bad Alert Message', 8876],
  [428, 'Use Identity Header', 8224],
  [429, 'Provide Referrer Identity', 3892],
  [430, 'Flow Failed', 5626],
  [433, 'Anonymity Disallowed', 5079],
  [436, 'Bad Identity Info', 8224],
  [437, 'Unsupported Credential', 8224],
  [438, 'Invalid Identity Header', 8224],
  [439, 'First Hop Lacks Outbound Support', 5626],
  [440, 'Max-Breadth Exceeded', 5393],
  [469, 'Bad Info Package', 6086],
  [470, 'Consent Needed', 5360],
  [480, 'Temporarily Unavailable'],
  [481, 'Call/Transaction Does Not Exist'],
  [482, 'Loop Detected'],
  [483, 'Too Many Hops'],
  [484, 'Address Incomplete'],
  [485, 'Ambiguous'],
  [486, 'Busy Here'],
  [487, 'Request Terminated'],
  [488, 'Not Acceptable Here'],
  [489, 'Bad Event', 6665],
  [491, 'Request Pending'],
  [493, 'Undecipherable'],
  [494, 'Security Agreement Required', 3329],
  [500, 'Server Internal Error'],
  [501, 'Not Implemented'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Server Time-out'],
  [505, 'Version Not Supported'],
  [513, 'Message Too Large'],
  [555, 'Push Notification Service Not Supported', 8599],
  [580, 'Precondition Failure', 3312],
  [600, 'Busy Everywhere'],
  [603, 'Decline'],
  [604, 'Does Not Exist Anywhere'],
  [606, 'Not Acceptable'],
  [607, 'Unwanted', 8197],
  [608, 'Rejected', 8688],
]

const rows = registry.map(([status, phrase, rfc = 3261]) => ({ status, phrase, rfc }))

describe('a registered final status', () => {
  test.each(rows)('$status is $phrase', ({ status, phrase, rfc }) => {
    const { source, explanation, advice } = describeStatus(status)
    expect(sipStatusName(status)).toBe(phrase)
    expect(formatStatus(status)).toBe(`${status} ${phrase}`)
    expect(source).toMatch(new RegExp(`^RFC ${rfc} §\\d`))
    expect(explanation).not.toMatch(/\.$|unknown kind/)
    expect(advice).toMatch(/^[A-Z][^]*\.$/)
  })

  test('is in the registry exactly once', () => {
    expect(registeredStatuses).toEqual(registry.map(([status]) => status))
  })
})

test('an unregistered status is treated as x00, and is said to be unregistered', () => {
  const assigned = new Set(registeredStatuses)
  for (let status = 300; status < 700; status += 1) {
    const { phrase, explanation, isDelivered } = describeStatus(status)
    expect(phrase === undefined, `${status}`).toBe(!assigned.has(status))
    if (assigned.has(status)) continue
    const hundreds = Math.floor(status / 100) * 100
    expect(explanation).toContain(`${status} is not a registered status and is treated as ${hundreds}`)
    expect(isDelivered).toBe(false)
    expect(formatStatus(status)).toBe(`${status}`)
  }
  // RFC 3261 §21 has been extended, but these have never been assigned.
  for (const status of [431, 432, 434, 435, 499, 699]) expect(assigned.has(status), `${status}`).toBe(false)
  expect(describeStatus(799).explanation).toBe('an outcome of an unknown kind: 799 is not a registered status')
})

test('a call counts as delivered only if no network, filter, or platform can have stopped it', () => {
  expect(registeredStatuses.filter((status) => describeStatus(status).isDelivered)).toEqual([480, 486, 487, 600, 607])
})
