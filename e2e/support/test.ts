import { randomUUID } from 'node:crypto'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { type APIRequestContext, test as base, expect, type Page, request } from '@playwright/test'
import { keepToasts } from './toasts.ts'

/** Test fixtures with a real browser and a real server: one server per worker, one tenant per test. */

export const adminPassword = 'Adm1n-of-the-browser-tests'

export interface Person {
  user_sid: string
  name: string
  password: string
  token: string
}

export interface UserOwner {
  account_sid?: string
  service_provider_sid?: string
  is_view_only?: boolean
  force_change?: boolean
}

/** Creates records through the API as an admin. */
export interface Api {
  url: string
  token: string
  send(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; body: any }>
  signIn(name: string, password: string): Promise<string>
  provider(name?: string): Promise<string>
  account(service_provider_sid: string, more?: object): Promise<string>
  person(owner?: UserOwner): Promise<Person>
}

const createApi = (context: APIRequestContext, url: string, token: string): Api => {
  const send: Api['send'] = async (method, path, body, as = token) => {
    const response = await context.fetch(`${url}/api/v1${path}`, {
      method,
      headers: as ? { authorization: `Bearer ${as}` } : {},
      ...(body === undefined ? {} : { data: body }),
    })
    const text = await response.text()
    return { status: response.status(), body: text === '' ? undefined : JSON.parse(text) }
  }
  const must = async (path: string, body: object) => {
    const created = await send('POST', path, body)
    if (created.status !== 201) throw new Error(`POST ${path}: ${created.status} ${JSON.stringify(created.body)}`)
    return created.body
  }
  const signIn: Api['signIn'] = async (username, password) =>
    (await send('POST', '/login', { username, password }, '')).body.token
  return {
    url,
    token,
    send,
    signIn,
    provider: async (name = `Provider ${randomUUID().slice(0, 8)}`) => (await must('/ServiceProviders', { name })).sid,
    account: async (service_provider_sid, more = {}) =>
      (await must('/Accounts', { name: `Account ${randomUUID().slice(0, 8)}`, service_provider_sid, ...more })).sid,
    person: async (owner = {}) => {
      const name = `user-${randomUUID().slice(0, 8)}`
      const password = `Pass-${randomUUID()}`
      const { user_sid } = await must('/Users', {
        name,
        email: `${name}@example.org`,
        initial_password: password,
        ...owner,
      })
      return { user_sid, name, password, token: await signIn(name, password) }
    },
  }
}

/** A service provider with one account. */
export interface Tenant {
  service_provider_sid: string
  account_sid: string
  providerName: string
  accountName: string
}

interface TestFixtures {
  tenant: Tenant
  /**
   * Opens a path of the console, signed in with the token. Without a token, the user is the admin with the tenant's
   * service provider selected.
   */
  open: (path: string, token?: string, page?: Page) => Promise<void>
}

interface WorkerFixtures {
  /** Server settings in addition to those of all tests. */
  settings: NodeJS.ProcessEnv
  server: RunningServer
  api: Api
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  settings: [{}, { scope: 'worker', option: true }],
  server: [
    async ({ settings }, use) => {
      const server = await startServer(settings)
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  api: [
    async ({ server }, use) => {
      const context = await request.newContext()
      const first = createApi(context, server.url, '')
      const { body } = await first.send('POST', '/login', { username: 'admin', password: server.firstPassword })
      const change = { old_password: server.firstPassword, new_password: adminPassword }
      await first.send('PUT', `/Users/${body.user_sid}`, change, body.token)
      await use(createApi(context, server.url, body.token))
      await context.dispose()
    },
    { scope: 'worker' },
  ],
  context: async ({ context }, use) => {
    const errors: string[] = []
    context.on('weberror', (thrown) => errors.push(thrown.error().stack ?? thrown.error().message))
    await context.addInitScript(keepToasts)
    await use(context)
    expect(errors, 'nothing is thrown on a page').toEqual([])
  },
  baseURL: async ({ server }, use) => use(server.url),
  tenant: async ({ api }, use) => {
    const providerName = `Provider ${randomUUID().slice(0, 8)}`
    const accountName = `Account ${randomUUID().slice(0, 8)}`
    const service_provider_sid = await api.provider(providerName)
    const account_sid = await api.account(service_provider_sid, { name: accountName })
    await use({ service_provider_sid, account_sid, providerName, accountName })
  },
  open: async ({ page: ownPage, api, tenant }, use) => {
    await use(async (path, token = api.token, page = ownPage) => {
      // Any file of the same origin provides access to the storage before the console starts.
      await page.goto('/patchbay.svg')
      await page.evaluate(
        ([stored, provider]) => {
          localStorage.setItem('token', stored)
          localStorage.setItem('activeServiceProvider', provider)
        },
        [token, tenant.service_provider_sid] as const,
      )
      await page.goto(path)
    })
  },
})

export { expect }
