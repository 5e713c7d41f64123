import { test as base } from '@playwright/test'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Serves the console's pieces as development does: no build holds them. */
export const test = base.extend<{ gallery: undefined }, { pieces: string }>({
  pieces: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the names of what is asked for
    async ({}, use) => {
      const vite = spawn(
        process.execPath,
        ['node_modules/vite/bin/vite.js', 'console', '--host', '127.0.0.1', '--port', '0'],
        {
          cwd: root,
          env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: '1' },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const url = await new Promise<string>((resolve, reject) => {
        let said = ''
        vite.stdout.on('data', (chunk) => {
          said += String(chunk)
          const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
          if (found) resolve(found[0])
        })
        vite.once('exit', () => reject(new Error(`Vite ended: ${said}`)))
      })
      await use(url)
      vite.kill('SIGTERM')
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  gallery: [
    async ({ page, pieces }, use) => {
      const errors: Error[] = []
      page.on('pageerror', (error) => errors.push(error))
      await page.goto(`${pieces}/gallery.html`)
      await page.getByRole('heading', { name: 'Building blocks' }).waitFor()
      await use(undefined)
      if (errors[0]) throw errors[0]
    },
    { auto: true },
  ],
})

export { expect } from '@playwright/test'
