import { describe, expect, test } from 'vitest'
import { adviseAbout } from './destination-advice.ts'
import { describeStatus, registeredStatuses } from './statuses.ts'

describe('the advice about a status', () => {
  test.each(registeredStatuses)('is about a carrier only if the call was sent to one: %i', (status) => {
    expect(adviseAbout(status, 'carrier')).toBe(describeStatus(status).advice)
    for (const kind of ['client', 'uri'] as const) {
      expect(adviseAbout(status, kind)).toMatch(/^[A-Z].*\.$/)
      expect(adviseAbout(status, kind)).not.toMatch(/carrier|channel|gateways|outbound routing|tech prefix/)
    }
  })

  test('does not depend on the destination if the status is unregistered', () => {
    expect(adviseAbout(699, 'client')).toBe(describeStatus(699).advice)
  })

  test('leads a sleeping client to its registration', () => {
    expect(adviseAbout(408, 'client')).toBe(
      'Check that the SIP client is registered: its registration interval, its NAT keepalive, and whether its device sleeps.',
    )
  })
})
