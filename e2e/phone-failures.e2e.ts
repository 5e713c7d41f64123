import {
  alert,
  button,
  createApplication,
  dialog,
  editPath,
  expect,
  listClients,
  phoneButton,
  startCall,
  state,
  test,
} from './support/phone.ts'

/** Calls from Chromium that fail, over a real Kamailio and rtpengine to an application of SIPp. */

const rejections = [
  {
    status: '480 Temporarily Unavailable',
    headers: ['X-Reason: no configured application'],
    title: 'The call was rejected with 480 Temporarily Unavailable: no configured application',
    hint: 'Check that a feature server is running, and that the application has a calling webhook.',
  },
  { status: '486 Busy Here', headers: [], title: 'The call was rejected with 486 Busy Here', hint: '' },
]

for (const { status, headers, title, hint } of rejections)
  test(`shows the reason of a call that is rejected with ${status}`, async ({
    page,
    api,
    open,
    callable,
    answerCalls,
  }) => {
    await answerCalls({ kind: 'rejects', status, headers })
    await open(editPath(callable))
    await startCall(page)
    await expect(alert(page)).toHaveText(title + hint)
    await expect(button(page, 'Call again')).toBeFocused()
    await expect.poll(() => listClients(api, callable)).toEqual([])
  })

test('shows that the SBC knows neither the SIP realm nor the SIP client', async ({
  page,
  sbc,
  line,
  open,
  callable,
}) => {
  line.forward(sbc.port)
  await open(editPath(callable))
  await startCall(page)
  await expect(alert(page)).toContainText('The call was rejected with 404 Not Found')
  await expect(alert(page)).toContainText('Check that the SBC knows the SIP realm of the account.')
  await sbc.route(callable.sip_realm, 'sip:127.0.0.1:9')
  await button(page, 'Call again').click()
  await expect(alert(page)).toContainText('The call was rejected with 403 Forbidden')
})

test('shows that the SBC cannot be reached, does not respond, or drops the connection during a call', async ({
  page,
  api,
  line,
  sbc,
  open,
  callable,
  answerCalls,
}) => {
  await answerCalls({ kind: 'answers' })
  line.refuse()
  await open(editPath(callable))
  await startCall(page)
  const unreachable = `No connection to ${line.url}`
  const hint =
    'Check that the SBC is running, that its port can be reached from here, and that its certificate is valid for this name.'
  await expect(alert(page)).toHaveText(unreachable + hint)
  await expect.poll(() => listClients(api, callable)).toEqual([])

  line.keepSilent()
  await button(page, 'Call again').click()
  await expect(state(page)).toHaveText(`Connecting to ${line.url}`)
  await expect(alert(page)).toHaveText(unreachable + hint)

  line.forward(sbc.port)
  await button(page, 'Call again').click()
  await expect(state(page)).toHaveText('In call')
  line.drop()
  await expect(alert(page)).toContainText(`The connection to ${line.url} was closed (code 1006)`)
  await expect.poll(() => listClients(api, callable)).toEqual([])
})

test('shows what an account without a SIP realm lacks', async ({ page, api, tenant, open }) => {
  const application_sid = await createApplication(api, tenant.account_sid)
  await open(`/internal/applications/${application_sid}/edit`)
  await startCall(page)
  await expect(alert(page)).toContainText('The account has no SIP realm. SIP clients need one to call')
})

test('is disabled with the reason for view-only users, and hidden on a server without it', async ({
  page,
  api,
  open,
  callable,
}) => {
  const { account_sid, service_provider_sid } = callable
  const { token } = await api.person({ account_sid, service_provider_sid, is_view_only: true })
  await open(editPath(callable), token)
  await expect(phoneButton(page)).toHaveAttribute('aria-disabled', 'true')
  await expect(phoneButton(page)).toHaveAccessibleDescription(/You have view-only access/)
  await phoneButton(page).press('Enter')
  await expect(dialog(page)).toBeHidden()

  await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
  await open(editPath(callable))
  await expect(page.getByLabel('Application name')).toHaveValue('Front desk')
  await expect(phoneButton(page)).toBeHidden()
})

test('pages can connect to the SBC only', async ({ page, line, open, callable }) => {
  line.refuse()
  await open(editPath(callable))
  const connect = (url: string) =>
    page.evaluate(
      (address) =>
        new Promise((resolve) => {
          document.addEventListener('securitypolicyviolation', ({ blockedURI }) => resolve(blockedURI))
          new WebSocket(address).addEventListener('error', () => setTimeout(() => resolve('allowed')))
        }),
      url,
    )
  expect(await connect(line.url)).toBe('allowed')
  expect(await connect('ws://127.0.0.1:9/')).toMatch(/^ws:\/\/127\.0\.0\.1:9/)
})
