import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { adminPassword, enter, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import {
  type Answer,
  answered,
  callApi,
  findLostWrites,
  getBody,
  getText,
  isDone,
  keepWriting,
  openLedger,
  seeded,
  sendAgain,
} from '@patchbay/testkit/crash/durability-ledger'
import { type RunningServer, startServer } from '@patchbay/testkit/servers/server-process'
import { mountTmpfs } from '@patchbay/testkit/servers/tmpfs'
import { expect, test } from 'vitest'

/** The disk of a running server fills up, and has free space again later. */

/** Allowed response statuses while the disk is full. Reads still succeed. */
const noRoom: Partial<Record<Answer['kind'], number>> = {
  account: 507,
  change: 507,
  calls: 500,
  traces: 500,
  session: 200,
}

const isNoRoom = ({ kind, status }: Answer): boolean => status === noRoom[kind]

interface Disk {
  folder: string
  fill(server: RunningServer): void
  /** Frees space while the server keeps running. */
  free(server?: RunningServer): void
  remove(): void
}

const temporary = () => mkdtempSync(join(tmpdir(), 'patchbay-disk-'))

/**
 * Limits the size of the process's files. For the server, this is the same as a full disk, and it needs no privileges.
 */
const limitedFiles = (): Disk => {
  const folder = temporary()
  const limit = ({ pid }: RunningServer, bytes: number | string) =>
    execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`])
  return {
    folder,
    fill: (server) => limit(server, 2 ** 20),
    // The limit belongs to the process and ends with it.
    free: (server) => void (server && limit(server, 'unlimited')),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOSPC'

/** Fills the file system with files of decreasing size. */
const fillUp = (file: string): void => {
  for (const size of [2 ** 20, 2 ** 12])
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size))
    } catch (error) {
      if (!isFull(error)) throw error
    }
}

/** A separate file system, if the test may mount one. It has to hold everything that the writers store before it is full. */
const ownFileSystem = (): Disk | undefined => {
  const mounted = mountTmpfs('size=128m')
  if (mounted === undefined) return undefined
  const { folder, remove } = mounted
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => fillUp(filler),
    free: () => rmSync(filler),
    remove,
  }
}

test.for([
  ['files may not grow', limitedFiles],
  ['the file system is full', ownFileSystem],
] as const)('where %s, writes are refused and nothing is lost', async ([_how, makeDisk], { skip }) => {
  const disk = makeDisk() ?? skip('nothing may be mounted here')
  const store = sqliteStore(disk.folder)
  let server = await startServer(store.settings)
  try {
    const target = await enter(server)
    const unusedKey = getText(getBody(await callApi(target, target.session, 'POST', '/ApiKeys', {})), 'token')
    const ledger = await openLedger(target)
    const writing = keepWriting(target, ledger, seeded(Date.now()))
    try {
      await answered(ledger, isDone)
      disk.fill(server)
      await answered(ledger, isNoRoom)
      expect(await callApi(target, unusedKey, 'GET', '/ServiceProviders')).toMatchObject({ status: 200 })
      const credentials = { username: 'admin', password: adminPassword }
      const signIn = await callApi(target, '', 'POST', '/login', credentials)
      expect(signIn).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } })
      disk.free(server)
      await answered(ledger, isDone)
      disk.fill(server)
      await answered(ledger, isNoRoom)
    } finally {
      await writing.stop()
    }
    expect(ledger.answers.filter((answer) => !isDone(answer) && !isNoRoom(answer))).toEqual([])
    expect(await findLostWrites(target, ledger)).toEqual([])
    await server.kill()
    disk.free()
    server = await startServer(store.settings)
    const again = { ...target, url: server.url, intakePort: server.intakePort, otlpPort: server.otlpPort }
    expect(await findLostWrites(again, ledger)).toEqual([])
    await sendAgain(again, ledger)
    expect([...ledger.openBatches, ...ledger.openTraces]).toEqual([])
    expect(await findLostWrites(again, ledger)).toEqual([])
    expect(await store.damage()).toEqual([])
  } finally {
    await server.kill()
    disk.remove()
  }
})
