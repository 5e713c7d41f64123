import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import type { Page } from '@playwright/test'
import {
  alert,
  test as base,
  button,
  dialog,
  editPath,
  expect,
  listClients,
  startCall,
  state,
  waitForLevel,
} from './support/phone.ts'
import { openPhoneLine, type PhoneLine } from './support/phone-line.ts'

/**
 * Calls from Chromium over TLS, to an SBC with several addresses: a certificate that the browser rejects, an address that
 * fails in other ways, and one that always works. A TLS proxy is in front of Kamailio, as in many installations.
 */

interface Certificate {
  cert: string
  key: string
}

interface Lines {
  certificates: { trusted: Certificate; untrusted: Certificate }
  untrusted: PhoneLine
  first: PhoneLine
}

const readFiles = ({ cert, key }: Certificate): Certificate => ({
  cert: readFileSync(cert, 'utf8'),
  key: readFileSync(key, 'utf8'),
})

/** Returns the hash of a public key, by which Chromium accepts its certificate although no authority has signed it. */
const hashPublicKey = ({ cert }: Certificate): string =>
  createHash('sha256')
    .update(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')

const withLine = async (certificate: Certificate, use: (line: PhoneLine) => Promise<void>): Promise<void> => {
  const line = await openPhoneLine(certificate)
  await use(line)
  await line.stop()
}

const test = base.extend<object, Lines>({
  certificates: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'patchbay-phone-certificates-'))
      const create = (name: string) => readFiles(createCertificate(folder, name))
      await use({ trusted: create('trusted'), untrusted: create('untrusted') })
      rmSync(folder, { recursive: true })
    },
    { scope: 'worker' },
  ],
  untrusted: [({ certificates }, use) => withLine(certificates.untrusted, use), { scope: 'worker' }],
  first: [({ certificates }, use) => withLine(certificates.trusted, use), { scope: 'worker' }],
  line: [({ certificates }, use) => withLine(certificates.trusted, use), { scope: 'worker' }],
  settings: [
    async ({ untrusted, first, line }, use) =>
      use({ PHONE_SBC_URLS: [untrusted, first, line].map(({ url }) => url).join(',') }),
    { scope: 'worker' },
  ],
  launchOptions: [
    async ({ launchOptions, certificates }, use) => {
      const accepted = `--ignore-certificate-errors-spki-list=${hashPublicKey(certificates.trusted)}`
      await use({ ...launchOptions, args: [...(launchOptions.args ?? []), accepted] })
    },
    { scope: 'worker' },
  ],
})

/** Returns the addresses of the WebSockets that the page opens from now on. */
const recordSockets = (page: Page): string[] => {
  const addresses: string[] = []
  page.on('websocket', (socket) => addresses.push(socket.url().replace(/\/$/, '')))
  return addresses
}

const expectAudio = async (page: Page): Promise<void> => {
  await waitForLevel(page, 'You', 10)
  await waitForLevel(page, 'Application', 10)
}

test('talks over TLS, and tries the next address if the certificate of the first is not valid', async ({
  page,
  api,
  open,
  callable,
  answerCalls,
  sbc,
  untrusted,
  first,
}) => {
  const application = await answerCalls({ kind: 'answers' })
  untrusted.forward(sbc.port)
  first.forward(sbc.port)
  const sockets = recordSockets(page)
  await open(editPath(callable))
  await startCall(page)
  await expect(state(page)).toHaveText('In call')
  await expectAudio(page)
  await button(page, '7').click()
  await expect.poll(application.digits).toBe('7')
  await button(page, 'Hang up').click()
  await expect(dialog(page).getByText(/^You have hung up after 00:\d\d\.$/)).toBeVisible()
  await application.ended
  expect(sockets).toEqual([untrusted.url, first.url])
  await expect.poll(() => listClients(api, callable)).toEqual([])
})

test('tries the next address if one is closed or never responds, and names all of them if none works', async ({
  page,
  api,
  open,
  callable,
  answerCalls,
  sbc,
  untrusted,
  first,
  line,
}) => {
  await answerCalls({ kind: 'answers' })
  const urls = [untrusted.url, first.url, line.url]
  const sockets = recordSockets(page)
  first.refuse()
  await open(editPath(callable))
  await startCall(page)
  await expect(state(page)).toHaveText('In call')
  await expectAudio(page)
  expect(sockets).toEqual(urls)
  line.drop()
  await expect(alert(page)).toContainText(`The connection to ${line.url} was closed (code 1006)`)

  line.refuse()
  await button(page, 'Call again').click()
  await expect(alert(page)).toContainText(`No connection to ${urls.join(' or ')}`)
  await expect(alert(page)).toContainText('that its certificate is valid for this name.')
  expect(sockets).toEqual([...urls, ...urls])
  await expect.poll(() => listClients(api, callable)).toEqual([])

  first.keepSilent()
  line.forward(sbc.port)
  await answerCalls({ kind: 'answers' })
  await button(page, 'Call again').click()
  await expect(state(page)).toHaveText(`Connecting to ${first.url}`)
  await expect(state(page)).toHaveText('In call', { timeout: 20_000 })
  await expectAudio(page)
  expect(sockets).toEqual([...urls, ...urls, ...urls])
})

test('sends digits in INFO requests to an application that has not agreed on telephone events', async ({
  page,
  open,
  callable,
  answerCalls,
  sbc,
  first,
}) => {
  const application = await answerCalls({ kind: 'answers', hasEvents: false })
  first.forward(sbc.port)
  await open(editPath(callable))
  await startCall(page)
  await expect(state(page)).toHaveText('In call')
  await expectAudio(page)
  for (const digit of ['4', '*']) await button(page, digit).click()
  await page.keyboard.press('2')
  await expect(dialog(page).getByRole('status', { name: 'Sent digits' })).toHaveText('4*2')
  await expect.poll(application.digits).toBe('4*2')
  await button(page, 'Hang up').click()
  await application.ended
})
