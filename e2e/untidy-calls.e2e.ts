import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { writeCallFlow } from './support/call-flows.ts'
import type { WrittenCall } from './support/calls.ts'
import { expect, test } from './support/test.ts'

/**
 * Calls that went well, although something in their SIP looks like a failure: the verdict says that they were answered,
 * and no finding is a problem. The flows of the corpus are sent as by capture agents.
 */

const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' })
const findings = (page: Page) => page.getByRole('region', { name: 'Findings' })

interface UntidyCall {
  title: string
  flow: string
  call?: Partial<WrittenCall>
  /** Sentences that the findings contain. */
  says: readonly RegExp[]
  doesNotSay: RegExp
  /** Text of the messages in the ladder about their times. */
  marks?: RegExp
}

const outbound = { direction: 'outbound', trunk: 'Bluewave' } as const

const untidyCalls: readonly UntidyCall[] = [
  {
    title: 'is judged by its last attempt, and names the target that refused before',
    flow: 'healthy/target-503-next',
    call: outbound,
    says: [/198\.51\.100\.5:5060\) answered after/, /198\.51\.100\.4:5060 was tried before: 503 Service Unavailable/],
    doesNotSay: /rejected the call/,
  },
  {
    title: 'is judged by the target that answered after a time-out',
    flow: 'healthy/target-timeout-next',
    call: outbound,
    says: [/ answered after /, / was tried before/],
    doesNotSay: /no response to the INVITE|never answered/,
  },
  {
    title: 'is judged by the phone that answered, of two that rang',
    flow: 'healthy/fork-parallel',
    says: [/ answered after /, /198\.51\.100\.42:5062 was called, too, and canceled/],
    doesNotSay: /rejected|never answered/,
  },
  {
    title: 'has clocks that differ, which is reported once, and no lost message',
    flow: 'healthy/clock-second-agent-early',
    says: [/the capture agents 2001 and 2002 differ by/],
    doesNotSay: /never answered|no final response|was lost/,
    marks: /, stamped \d+\.\d+ s before the message that caused it/,
  },
  {
    title: 'has messages with the same time stamp, in the order of their arrival',
    flow: 'healthy/clock-same-stamp-tcp',
    says: [/ answered after /],
    doesNotSay: /never answered|no final response|differ by/,
  },
  {
    title: 'has a new nonce for each request, which is no wrong password',
    flow: 'healthy/auth-one-time-nonce',
    says: [/ answered after /],
    doesNotSay: /password is wrong|rejected the credentials/,
  },
  {
    title: 'was changed by both sides at the same time, and one of them tried again',
    flow: 'healthy/glare-491',
    says: [
      /Note: The caller \(.*\) rejected the re-INVITE with 491 Request Pending: it has a pending request of its own/,
    ],
    doesNotSay: /one-way/,
  },
  {
    title: 'has short header names and folded lines',
    flow: 'healthy/call-invite-compact',
    says: [/The called party \(.*\) answered after/],
    doesNotSay: /missing/,
  },
  {
    title: 'was put on hold with an address of zeros',
    flow: 'healthy/media-hold-by-address',
    says: [/put the call on hold with the address 0\.0\.0\.0/],
    doesNotSay: /one-way|private address/,
  },
]

test('untidy SIP of a call that was answered is no problem, and the screen says what happened', async ({
  page,
  api,
  server,
  tenant,
  open,
}) => {
  const { account_sid } = tenant
  const written: Awaited<ReturnType<typeof writeCallFlow>>[] = []
  for (const { flow, call } of untidyCalls) written.push(await writeCallFlow(server, tenant, flow, call))
  for (const { callid, length } of written) {
    const captured = () => api.send('GET', `/Accounts/${account_sid}/RecentCalls/${callid}`)
    await expect.poll(async () => (await captured()).body.total).toBe(length)
  }
  for (const [index, { title, says, doesNotSay, marks }] of untidyCalls.entries())
    await test.step(`a call ${title}`, async () => {
      await open(`/internal/recent-calls/${account_sid}/${written[index]?.call.call_sid}`)
      await page.getByRole('button', { name: 'SIP ladder', exact: true }).click()
      for (const sentence of says) await expect(findings(page)).toContainText(sentence)
      await expect(findings(page)).not.toContainText(doesNotSay)
      await expect(findings(page)).not.toContainText(/Error: |Warning: /)
      const messages = page.getByRole('list', { name: 'SIP messages' })
      if (marks === undefined) await expect(messages).not.toContainText('stamped')
      else await expect(messages).toContainText(marks)
      await expect(verdict(page)).toContainText('Answered, 20 s. The caller hung up.')
      await expect(verdict(page)).not.toContainText('had a problem')
    })
  await expectNoFindings(page, 'an untidy call')
})
