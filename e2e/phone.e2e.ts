import { expectNoFindings, themes } from './support/axe.ts'
import { aCall, writeCalls } from './support/calls.ts'
import { createCountedUser } from './support/count-inputs.ts'
import { expectDocumentedInputs } from './support/documented-inputs.ts'
import { expectToFit } from './support/expect-no-overflow.ts'
import {
  button,
  dialog,
  editPath,
  expect,
  listClients,
  phoneButton,
  readCallId,
  startCall,
  state,
  test,
  waitForLevel,
} from './support/phone.ts'

/** Calls from Chromium, over a real Kamailio and rtpengine to an application of SIPp. */

test('talks to an application in both directions, sends digits, hangs up, and opens the page of the call', async ({
  page,
  api,
  server,
  open,
  callable,
  answerCalls,
}) => {
  const application = await answerCalls({ kind: 'answers' })
  const callId = readCallId(page)
  await open(editPath(callable))
  await startCall(page)
  await expect(state(page)).toHaveText('In call')
  await waitForLevel(page, 'You', 10)
  await waitForLevel(page, 'Application', 10)
  expect((await listClients(api, callable)).length).toBe(1)

  await button(page, '1').click()
  await button(page, '#').click()
  await page.keyboard.press('5')
  await expect(dialog(page).getByRole('status', { name: 'Sent digits' })).toHaveText('1#5')
  await expect.poll(application.digits).toBe('1#5')

  await button(page, 'Mute').click()
  await expect(button(page, 'Unmute')).toHaveAttribute('aria-pressed', 'true')
  await button(page, 'Unmute').click()
  await waitForLevel(page, 'Application', 10)

  await button(page, 'Hang up').click()
  await expect(dialog(page).getByText(/^You have hung up after 00:\d\d\.$/)).toBeVisible()
  await expect(dialog(page).getByText('Waiting for the record of the call')).toBeVisible()
  expect(application.audioPackets()).toBeGreaterThan(10)
  await expect.poll(() => listClients(api, callable)).toEqual([])

  const call = aCall({ sip_callid: await callId })
  await writeCalls(server.intakePort, callable, [call])
  await expect(page).toHaveURL(new RegExp(`/recent-calls/${callable.account_sid}/${call.call_sid}`))
  await expect(dialog(page)).toBeHidden()
})

test('opens the page of a call that the application has ended', async ({
  page,
  server,
  open,
  callable,
  answerCalls,
}) => {
  await answerCalls({ kind: 'answers', hangsUp: true })
  const callId = readCallId(page)
  await open(editPath(callable))
  await startCall(page)
  await expect(dialog(page).getByText(/^The application has hung up after 00:0\d\.$/)).toBeVisible()
  const call = aCall({ sip_callid: await callId })
  await writeCalls(server.intakePort, callable, [call])
  await expect(page).toHaveURL(new RegExp(`/recent-calls/${callable.account_sid}/${call.call_sid}`))
})

test('hangs up and deletes the SIP client while the call rings, and when the user leaves the page', async ({
  page,
  api,
  open,
  callable,
  answerCalls,
}) => {
  const ringing = await answerCalls({ kind: 'rings' })
  await open('/internal/applications')
  await page.getByRole('link', { name: 'Front desk', exact: true }).click()
  await startCall(page)
  await expect(state(page)).toHaveText('Ringing')
  await page.keyboard.press('Escape')
  await expect(state(page)).toHaveText('Ringing')
  await button(page, 'Hang up').click()
  await expect(dialog(page).getByText('You have hung up.')).toBeVisible()
  await ringing.ended
  await expect.poll(() => listClients(api, callable)).toEqual([])

  const answering = await answerCalls({ kind: 'answers' })
  await button(page, 'Call again').click()
  await expect(state(page)).toHaveText('In call')
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Applications' })).toBeVisible()
  await answering.ended
  await expect.poll(() => listClients(api, callable)).toEqual([])
})

test('works by keyboard alone at 390 px, in both themes', async ({ page, open, callable, answerCalls }) => {
  const application = await answerCalls({ kind: 'answers' })
  await page.setViewportSize({ width: 390, height: 800 })
  await open(editPath(callable))
  await phoneButton(page).focus()
  await page.keyboard.press('Enter')
  await expect(button(page, 'Call')).toBeFocused()
  await expectNoFindings(page, 'the phone before a call')
  await page.keyboard.press('Enter')
  await expect(state(page)).toHaveText('In call')
  await expect(button(page, 'Hang up')).toBeFocused()
  await waitForLevel(page, 'Application', 10)
  await page.keyboard.type('9*')
  await expect.poll(application.digits).toBe('9*')
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await expectNoFindings(page, `a call in the browser, ${colorScheme}`)
  }
  await expectToFit(page, 'a call in the browser')
  await page.keyboard.press('Enter')
  await expect(button(page, 'Call again')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await expect(phoneButton(page)).toBeFocused()
})

test('Call an application from the browser', async ({ page, open, answerCalls }, { title }) => {
  const application = await answerCalls({ kind: 'answers' })
  const user = createCountedUser()
  await open('/internal')
  await user.click(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Applications', exact: true }),
  )
  await user.click(page.getByRole('link', { name: 'Front desk', exact: true }))
  await user.click(phoneButton(page))
  await user.click(button(page, 'Call'))
  await expect(state(page)).toHaveText('In call')
  await waitForLevel(page, 'Application', 10)
  await user.click(button(page, 'Hang up'))
  await application.ended
  expectDocumentedInputs(user, title)
})
