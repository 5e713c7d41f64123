import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createApp } from '@patchbay/server/app/app'
import { openTestApi } from '@patchbay/testkit/test-world'
import type { FastifyInstance } from 'fastify'
import { afterAll } from 'vitest'

/**
 * Starts an app that serves a console with these files, and closes it after the last test of the file. `the file NAME` is
 * the text of each.
 */
export const openConsoleApp = async (files: readonly string[]): Promise<{ app: FastifyInstance; root: string }> => {
  const api = await openTestApi()
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-console-'))
  const root = join(folder, 'console')
  for (const name of files) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), `the file ${name}`)
  }
  const { configuration, database } = api.services
  const app = await createApp({ configuration, database, consoleRoot: root })
  afterAll(async () => {
    await app.close()
    await rm(folder, { recursive: true })
  })
  return { app, root }
}
