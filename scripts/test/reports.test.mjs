import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeReports, inShort, readFailures, readJUnit } from './reports.mjs'

const xml = `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="3" time="2.5">
  <testsuite name="server/test/users.test.ts" tests="3" time="2.5">
    <testcase classname="server/test/users.test.ts" name="USERS-01 a &gt; b &quot;c&quot; &amp;lt;" time="2.25"></testcase>
    <testcase classname="server/test/users.test.ts" name="fails" time="0.2"><failure message="no"/></testcase>
    <testcase classname="server/test/users.test.ts" name="is skipped" time="0"><skipped/></testcase>
    <testcase classname="server/test/users.test.ts" name="short" time="0.05"/>
  </testsuite>
</testsuites>`

test('reads the tests of a JUnit file that were run', () => {
  expect(readJUnit(xml)).toEqual([
    { file: 'server/test/users.test.ts', title: 'USERS-01 a > b "c" &lt;', seconds: 2.25 },
    { file: 'server/test/users.test.ts', title: 'fails', seconds: 0.2 },
    { file: 'server/test/users.test.ts', title: 'short', seconds: 0.05 },
  ])
})

test('reports the number of tests per gate, and the slowest first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-reports-'))
  expect(describeReports(folder).trim()).toBe('')
  writeFileSync(join(folder, 'unit.xml'), xml)
  writeFileSync(join(folder, 'e2e.xml'), xml.replaceAll('2.25', '30.5'))
  const lines = describeReports(folder).split('\n')
  rmSync(folder, { recursive: true })
  expect(lines[0]).toContain('Tests: 3 in e2e, 3 in unit.')
  expect(lines[2]).toBe('   30.5 s  server/test/users.test.ts: USERS-01 a > b "c" &lt;')
  expect(lines[3]).toContain('2.3 s')
})

test('reads the failures that the gates have added', () => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-reports-'))
  expect(readFailures(folder)).toBe('')
  writeFileSync(join(folder, 'failures.txt'), 'Failed, in short:\n  fails\n')
  expect(readFailures(folder)).toBe('Failed, in short:\n  fails\n')
  rmSync(folder, { recursive: true })
})

test('shortens messages of failures to their first lines', () => {
  const message = Array.from({ length: 9 }, (_, at) => `line ${at}`).join('\n\n')
  expect(inShort(`\u001B[31m${message}`)).toBe('\n    line 0\n      line 1\n      line 2\n      line 3\n      line 4')
})
