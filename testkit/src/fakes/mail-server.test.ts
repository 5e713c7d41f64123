import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { createCertificate } from './certificate.ts'
import { type MailServer, startMailServer } from './mail-server.ts'

/** Sends commands one after another and returns the response codes, starting with the greeting. */
const converse = async ({ url }: MailServer, commands: readonly string[]): Promise<number[]> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const lines = createInterface({ input: socket })
  const remaining = [...commands]
  const codes: number[] = []
  for await (const line of lines) {
    // A hyphen after the code announces further lines of the same response.
    if (line[3] === '-') continue
    codes.push(Number(line.slice(0, 3)))
    const command = remaining.shift()
    if (command === undefined) break
    socket.write(`${command}\r\n`)
  }
  socket.destroy()
  return codes
}

const greeting = [220, 250]

test('rejects or defers recipients', async () => {
  const server = await startMailServer()
  server.rejectRecipient = (address) => {
    if (address.startsWith('unknown')) return { responseCode: 550, message: 'No such user' }
    return address.startsWith('later') ? { responseCode: 451, message: 'Try again later' } : undefined
  }
  const recipients = ['unknown', 'later', 'ada'].map((name) => `RCPT TO:<${name}@example.org>`)
  const codes = await converse(server, ['EHLO client', 'MAIL FROM:<a@example.org>', ...recipients])
  expect(codes).toEqual([...greeting, 250, 550, 451, 250])
  await server.stop()
})

test('rejects mails that are too large, by their announced and by their real size', async () => {
  const server = await startMailServer()
  expect(await converse(server, ['EHLO client', 'MAIL FROM:<a@example.org> SIZE=10240001'])).toEqual([...greeting, 552])
  const large = `${`${'x'.repeat(998)}\r\n`.repeat(10_300)}.`
  const envelope = ['MAIL FROM:<a@example.org>', 'RCPT TO:<ada@example.org>', 'DATA']
  expect(await converse(server, ['EHLO client', ...envelope, large])).toEqual([...greeting, 250, 250, 354, 552])
  expect(server.received).toEqual([])
  await server.stop()
})

test('accepts no password without TLS, and no mail without a password after STARTTLS is offered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-mail-'))
  const server = await startMailServer({ tls: 'starttls', ...createCertificate(folder, 'mail') })
  const password = Buffer.from('\0patchbay\0mail-password').toString('base64')
  expect(await converse(server, ['EHLO client', `AUTH PLAIN ${password}`])).toEqual([...greeting, 538])
  expect(await converse(server, ['EHLO client', 'MAIL FROM:<a@example.org>'])).toEqual([...greeting, 530])
  expect(server.signIns()).toBe(0)
  await server.stop()
  rmSync(folder, { recursive: true })
})
