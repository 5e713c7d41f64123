import type { Page } from '@playwright/test'
import { createEventfulCall, storeRecording, writeSpannedCall } from './support/conversations.ts'
import { expect, test } from './support/test.ts'

/** The time of a turn in the three places that state it: the page of the call, the search, and a shared link. */

const sentence = 'There is a flight at nine fifteen'
const time = /\d\d:\d\d/

const readTurnTime = async (page: Page): Promise<string | undefined> => {
  const turn = page
    .getByRole('list', { name: 'Conversation', exact: true })
    .getByRole('listitem')
    .filter({ hasText: sentence })
  // The browser leaves out the text of rows that it has not laid out yet from `innerText`.
  return time.exec((await turn.textContent()) ?? '')?.[0]
}

const readFoundTime = async (page: Page): Promise<string | undefined> => {
  const turn = page.getByRole('main').getByRole('link', { name: sentence })
  // The server computes conversations in the background, after their spans have arrived.
  await expect(async () => {
    await page.reload()
    await expect(turn).toHaveCount(1, { timeout: 2000 })
  }).toPass({ timeout: 60_000 })
  return time.exec(await turn.innerText())?.[0]
}

/** Returns the spans of a call whose recording begins a few seconds after it. */
const createLateRecordedCall = (startedAt: number) =>
  createEventfulCall(startedAt).map((span) =>
    span.name === 'background-record:listen' ? { ...span, from: 5000 } : span,
  )

for (const isRecorded of [true, false])
  test(`is the same for a call ${isRecorded ? 'with a recording that begins later' : 'without a recording'}`, async ({
    page,
    browser,
    api,
    server,
    tenant,
    open,
  }) => {
    const { account_sid } = tenant
    const recorded = isRecorded ? await storeRecording(server.url, account_sid) : {}
    const { call_sid } = await writeSpannedCall(server, tenant, createLateRecordedCall, recorded)
    await open(`/internal/recent-calls/${account_sid}/${call_sid}`)
    const ofPlayer = /Those of the player count from the start of the recording, [45]\.\d\ds later\./
    if (isRecorded) await expect(page.getByText(ofPlayer)).toBeVisible()
    // The turn begins 9.43 s after the start of the call.
    expect(await readTurnTime(page)).toBe('00:09')
    await expect(page.getByText(ofPlayer)).toHaveCount(isRecorded ? 1 : 0)

    await open(`/internal/conversation-search?filter=${encodeURIComponent('"nine fifteen"')}`)
    expect(await readFoundTime(page)).toBe('00:09')

    for (const includes_recording of isRecorded ? [true, false] : [false]) {
      const path = `/patchbay/Accounts/${account_sid}/Calls/${call_sid}/Shares`
      const { body } = await api.send('POST', path, { expires_in_hours: 1, includes_recording })
      const viewer = await (await browser.newContext()).newPage()
      await viewer.goto(`${server.url}/shared-call#${body.token}`)
      if (includes_recording) await expect(viewer.getByText(ofPlayer)).toBeVisible()
      expect(await readTurnTime(viewer)).toBe('00:09')
      await expect(viewer.getByText(ofPlayer)).toHaveCount(includes_recording ? 1 : 0)
      await viewer.context().close()
    }
  })
