import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfiguration, settingNames } from './configuration.ts'

/** The settings in the documentation exist, and the server accepts the documented values. */

const root = fileURLToPath(new URL('../../..', import.meta.url))
const documents = [...globSync('docs/**/*.md', { cwd: root }), 'README.md', 'CONTRIBUTING.md']
const read = (document: string): string => readFileSync(join(root, document), 'utf8')

test('the configuration reference lists every setting, and no others', () => {
  const rows = read('docs/reference/configuration.md').match(/^\| `.*?(?= \|)/gm) ?? []
  const documented = rows.flatMap((row) => [...row.matchAll(/`([A-Z][A-Z0-9_]*)`/g)].map(([, name]) => name))
  expect(new Set(documented)).toEqual(new Set(settingNames))
})

/** Returns the settings of each shell command of a document, with a value for each `…`. */
const findCommands = (document: string): Record<string, string>[] =>
  [...read(document).matchAll(/^ *```sh.*\n([^]*?)^ *```$/gm)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => /\bnpm (?:start|run demo)\b/.test(line))
      .map((line) =>
        Object.fromEntries(
          [...line.matchAll(/\b([A-Z][A-Z0-9_]*)=('[^']*'|\S+)/g)].map(([, name = '', value = '']) => [
            name,
            value.replaceAll("'", '').replaceAll('…', 'a value of sufficient length'),
          ]),
        ),
      ),
  )

const commands = documents.flatMap((document) =>
  findCommands(document)
    .filter((settings) => Object.keys(settings).length > 0)
    .map((settings) => ({ document, names: Object.keys(settings).join(', '), settings })),
)

test('the documentation contains commands with settings', () => {
  expect(commands.length).toBeGreaterThan(3)
})

test.each(commands)('$document: the server accepts $names', ({ settings }) => {
  expect(Object.keys(settings).filter((name) => !settingNames.includes(name))).toEqual([])
  expect(() => readConfiguration({ DATA_DIR: join(tmpdir(), 'patchbay-documented'), ...settings })).not.toThrow()
})
