import { analyzeFlow, judgeFlow } from '@patchbay/testkit/calls/call-flows'
import { changeFlow } from '@patchbay/testkit/calls/changed-flow'
import { expect, test } from 'vitest'

test('a finding with advice about a leg that was tried before is no problem of the call', () => {
  const flow = changeFlow('healthy/legs-hunt-busy-leg', (message) => ({
    ...message,
    text: message.text.replace(/^(Call-ID: \S+\.B\r\n[^]*Contact: <sip:[^>]*)10\.0\.0\.5/m, '$1198.51.100.10'),
  }))
  const analyzed = analyzeFlow(flow)
  expect(analyzed.findings).toContainEqual(
    expect.objectContaining({
      rule: 'privateMedia',
      severity: 'info',
      advice: expect.stringContaining('public address'),
    }),
  )
  const call = { ...flow.call, answered: true, answered_at: flow.call.attempted_at, duration: 10, sip_status: 200 }
  expect(judgeFlow({ ...flow, call }, analyzed)).toMatch(/^neutral none: Answered/)
})
