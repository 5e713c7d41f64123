import type { Page } from '@playwright/test'
import { expectNoFindings } from './support/axe.ts'
import { writeCallFlow } from './support/call-flows.ts'
import { expect, test } from './support/test.ts'

/** The screen of a call shows what was agreed about media, which keys were sent, and how transfers ended. */

const findings = (page: Page) => page.getByRole('region', { name: 'Findings' }).getByRole('listitem')
const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' })

interface Shown {
  title: string
  flow: string
  /** Sentences of the findings after those about the answer and the end of the call. */
  says: readonly (string | RegExp)[]
  doesNotSay: RegExp
  isProblem: boolean
}

const audioAgreed = /OK:? ?Audio in both directions was agreed between/

const calls: readonly Shown[] = [
  {
    title: 'a fax call was switched to T.38, and is not on hold',
    flow: 'healthy/fax-t38-by-called-party',
    says: [
      audioAgreed,
      /At 6\.00 s the called party \(.*\) switched the call to fax \(T\.38\), and the caller \(.*\) agreed\./,
    ],
    doesNotSay: /on hold|No audio/,
    isProblem: false,
  },
  {
    title: 'keys came in INFO requests, with their number but not their values',
    flow: 'healthy/dtmf-info-relay',
    says: [audioAgreed, /The caller \(.*\) sent 3 keys \(DTMF\) in INFO requests\./],
    doesNotSay: /in-band audio/,
    isProblem: false,
  },
  {
    title: 'a WebRTC call has no problem, because ICE selects the addresses',
    flow: 'healthy/media-webrtc-chrome',
    says: [
      /Audio in both directions was agreed between the caller and the called party: opus\/48000\/2, encrypted\. ICE selects the addresses\./,
    ],
    doesNotSay: /No audio|0\.0\.0\.0|private address|on hold/,
    isProblem: false,
  },
  {
    title: 'an answer with another transport than the offer lets no audio through',
    flow: 'faulty/media-savp-answered-avp',
    says: [
      /The called party \(.*\) answers RTP\/SAVP with RTP\/AVP, but an answer has to repeat the transport of the offer: one side encrypts and the other does not, so no audio is understood\./,
    ],
    doesNotSay: /Audio in both directions was agreed/,
    isProblem: true,
  },
  {
    title: 'a transfer failed, with the status of its target',
    flow: 'faulty/transfer-busy',
    says: [/The transfer to 15550100777@sbc\.example failed with 486 Busy Here\./, audioAgreed],
    doesNotSay: /succeeded/,
    isProblem: false,
  },
  {
    title: 'the peer hung up because no audio arrived, although audio had been agreed',
    flow: 'faulty/media-rtp-broken-connection',
    says: [
      /The called party \(.*\) ended the call because of missing media: its reason is “local, RTP Broken Connection”\. Audio in both directions had been agreed/,
    ],
    doesNotSay: /OK:? ?Audio/,
    isProblem: true,
  },
]

for (const { title, flow, says, doesNotSay, isProblem } of calls)
  test(`says: ${title}`, async ({ page, api, server, tenant, open }) => {
    const { account_sid } = tenant
    const { call, callid, length } = await writeCallFlow(server, tenant, flow)
    const captured = () => api.send('GET', `/Accounts/${account_sid}/RecentCalls/${callid}`)
    await expect.poll(async () => (await captured()).body.total).toBe(length)
    await open(`/internal/recent-calls/${account_sid}/${call.call_sid}`)
    await page.getByRole('button', { name: 'SIP ladder', exact: true }).click()
    await expect(findings(page)).toHaveText([/ answered after /, / hung up /, ...says])
    await expect(page.getByRole('region', { name: 'Findings' })).not.toContainText(doesNotSay)
    const problem = 'The signaling or the audio of the call had a problem.'
    if (isProblem) await expect(verdict(page)).toContainText(problem)
    else await expect(verdict(page)).not.toContainText(problem)
    await expectNoFindings(page, title)
  })
