import { type MailServer, startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { test as base } from './test.ts'

/** Fixture with a mail server per worker. */
export const test = base.extend<object, { mails: MailServer }>({
  mails: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const mails = await startMailServer()
      await use(mails)
      await mails.stop()
    },
    { scope: 'worker' },
  ],
})
