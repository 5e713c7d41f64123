import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test as base } from '@playwright/test'
import { build, preview } from 'vite'

const root = fileURLToPath(new URL('../../console', import.meta.url))

/** Builds and serves the component gallery, which is not part of the production build. */
export const test = base.extend<{ gallery: undefined }, { pieces: string }>({
  pieces: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from the pattern
    async ({}, use) => {
      const outDir = await mkdtemp(join(tmpdir(), 'patchbay-gallery-'))
      const common = { root, configFile: false, logLevel: 'error' } as const
      await build({
        ...common,
        build: {
          outDir,
          minify: false,
          reportCompressedSize: false,
          rolldownOptions: { input: join(root, 'gallery.html') },
        },
      })
      const server = await preview({ ...common, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } })
      await use(new URL(server.resolvedUrls?.local[0] ?? '').origin)
      await server.close()
      await rm(outDir, { recursive: true })
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
