import { randomUUID } from 'node:crypto'
import {
  type AnsweringApplication,
  type Behavior,
  startAnsweringApplication,
} from '@patchbay/testkit/peers/phone-sbc/answering-application'
import { type PhoneSbc, startPhoneSbc } from '@patchbay/testkit/peers/phone-sbc/start-phone-sbc'
import type { Page } from '@playwright/test'
import { openPhoneLine, type PhoneLine } from './phone-line.ts'
import { type Api, test as base, expect, type Tenant } from './test.ts'

/** Fixtures of calls from Chromium: a microphone that beeps, a real Kamailio and rtpengine, and an application of SIPp. */

interface Callable extends Tenant {
  application_sid: string
  sip_realm: string
}

interface TestFixtures {
  callable: Callable
  /** Sends the calls of the account to an application with this behavior. */
  answerCalls: (behavior: Behavior) => Promise<AnsweringApplication>
}

export const createApplication = async (api: Api, account_sid: string): Promise<string> => {
  const hook = { url: 'https://app.example.org' }
  const body = { name: 'Front desk', account_sid, call_hook: hook, call_status_hook: hook }
  return (await api.send('POST', '/Applications', body)).body.sid
}

interface WorkerFixtures {
  microphone: 'allowed' | 'denied'
  line: PhoneLine
  sbc: PhoneSbc
}

/** Arguments of Chromium: a microphone that beeps, an answer to the question of the page, and media on this machine. */
const fakeMicrophone = (microphone: WorkerFixtures['microphone']): string[] => [
  '--use-fake-device-for-media-stream',
  `--use-fake-ui-for-media-stream${microphone === 'denied' ? '=deny' : ''}`,
  '--allow-loopback-in-peer-connection',
]

export const test = base.extend<TestFixtures, WorkerFixtures>({
  microphone: ['allowed', { scope: 'worker', option: true }],
  line: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const line = await openPhoneLine()
      await use(line)
      await line.stop()
    },
    { scope: 'worker' },
  ],
  settings: [async ({ line }, use) => use({ PHONE_SBC_URLS: line.url }), { scope: 'worker' }],
  launchOptions: [
    async ({ launchOptions, microphone }, use) =>
      use({ ...launchOptions, args: [...(launchOptions.args ?? []), ...fakeMicrophone(microphone)] }),
    { scope: 'worker' },
  ],
  sbc: [
    async ({ server }, use) => {
      const sbc = await startPhoneSbc(server.url)
      await use(sbc)
      await sbc.stop()
    },
    { scope: 'worker' },
  ],
  callable: async ({ api, tenant }, use) => {
    const sip_realm = `${randomUUID().slice(0, 8)}.example.org`
    await api.send('PUT', `/Accounts/${tenant.account_sid}`, { sip_realm })
    await use({ ...tenant, sip_realm, application_sid: await createApplication(api, tenant.account_sid) })
  },
  answerCalls: async ({ page, line, sbc, callable }, use) => {
    const applications: AnsweringApplication[] = []
    line.forward(sbc.port)
    // The SBC of jambonz reads SIP clients from the database.
    await page.route('**/phone-sessions', async (route) => {
      const response = await route.fetch()
      const { username, password } = await response.json()
      await sbc.allowClient(username, password)
      await route.fulfill({ response })
    })
    await use(async (behavior) => {
      const application = await startAnsweringApplication(behavior)
      applications.push(application)
      await sbc.route(callable.sip_realm, application.uri)
      return application
    })
    for (const application of applications) await application.stop()
  },
})

export const editPath = ({ application_sid }: Callable) => `/internal/applications/${application_sid}/edit`
export const dialog = (page: Page) => page.getByRole('dialog', { name: 'Call from browser' })
export const button = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true })
export const phoneButton = (page: Page) => page.getByRole('button', { name: 'Call from browser' })
export const state = (page: Page) => dialog(page).getByRole('status', { name: 'State of the call' })
export const alert = (page: Page) => dialog(page).getByRole('alert')

export const startCall = async (page: Page): Promise<void> => {
  await phoneButton(page).click()
  await button(page, 'Call').click()
}

/** Returns the levels of a meter in percent that were measured until one was above `above`. */
export const waitForLevel = (page: Page, name: string, above: number) =>
  expect
    .poll(async () => Number(await dialog(page).getByRole('meter', { name }).getAttribute('aria-valuenow')), {
      // The fake microphone beeps once a second. A poll with the same period would hear only the silence in between.
      intervals: [70],
    })
    .toBeGreaterThan(above)

/** Resolves with the Call-ID of the first INVITE that the page sends. */
export const readCallId = (page: Page): Promise<string> =>
  new Promise((resolve) =>
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const [, callId] = /^INVITE [^]*\r\nCall-ID: (.+)\r\n/.exec(String(payload)) ?? []
        if (callId !== undefined) resolve(callId)
      }),
    ),
  )

export const listClients = async (api: Api, { account_sid }: Tenant): Promise<string[]> => {
  const { body } = await api.send('GET', '/Clients')
  return body.filter((client: Tenant) => client.account_sid === account_sid)
}

export { expect }
