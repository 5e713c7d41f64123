import { randomUUID } from 'node:crypto'
import type { MailServer } from '@patchbay/testkit/fakes/mail-server'
import type { FakeProvider } from '@patchbay/testkit/fakes/sign-in-providers/consent'
import { startFakeGithub } from '@patchbay/testkit/fakes/sign-in-providers/github'
import { startFakeGoogle } from '@patchbay/testkit/fakes/sign-in-providers/google'
import { test as base } from './mails.ts'
import type { Api } from './test.ts'

/** A hosted installation with a mail server, where visitors register themselves. */

/** The service provider that every first start creates. */
export const hostedProvider = '2708b1b3-2736-40ea-b502-c53d8396247f'
export const rootDomain = 'sip.example.org'

interface Hosted {
  /** Identity providers for sign-in. */
  providers: { google: FakeProvider; github: FakeProvider }
  /** Gives the visitors' service provider a root domain. */
  hosted: undefined
}

export const test = base.extend<object, Hosted>({
  providers: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const [google, github] = await Promise.all([startFakeGoogle(), startFakeGithub()])
      await use({ google, github })
      await Promise.all([google.stop(), github.stop()])
    },
    { scope: 'worker' },
  ],
  settings: [
    async ({ mails, providers: { google, github } }, use) =>
      use({
        JAMBONES_HOSTING: '1',
        SMTP_URL: mails.url,
        MAIL_FROM: 'Patchbay <no-reply@example.org>',
        ...google.environment,
        ...github.environment,
      }),
    { scope: 'worker' },
  ],
  hosted: [
    async ({ api }, use) => {
      await api.send('PUT', `/ServiceProviders/${hostedProvider}`, { root_domain: rootDomain })
      await use(undefined)
    },
    { scope: 'worker', auto: true },
  ],
})

export const anEmail = (): string => `visitor-${randomUUID().slice(0, 8)}@example.org`
export const visitorsPassword = 'Visitors-0wn'

/** Returns the code of the next mail. Throws if the mail has another recipient. */
export const codeFor = async (mails: MailServer, email: string): Promise<string> => {
  const { to, text } = await mails.next()
  if (!to.includes(email)) throw new Error(`a mail to ${to.join()}, not to ${email}`)
  return /code is (\d{6})/.exec(text)?.[1] ?? ''
}

export interface Visitor {
  email: string
  token: string
  user_sid: string
  account_sid: string
}

/** Registers a visitor through the API. */
export const aVisitor = async (api: Api, mails: MailServer): Promise<Visitor> => {
  const email = anEmail()
  const registration = { service_provider_sid: hostedProvider, provider: 'local', email, password: visitorsPassword }
  const { body } = await api.send('POST', '/register', registration, '')
  const code = await codeFor(mails, email)
  const confirmed = await api.send('PUT', `/ActivationCode/${code}`, { user_sid: body.user_sid, type: 'email' }, '')
  if (confirmed.status !== 204) throw new Error(`${confirmed.status} ${JSON.stringify(confirmed.body)}`)
  return { email, token: body.jwt, user_sid: body.user_sid, account_sid: body.account_sid }
}

export { expect } from './test.ts'
