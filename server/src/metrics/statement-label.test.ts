import { expect, test } from 'vitest'
import { getStatementLabel } from './database-metrics.ts'

test.each([
  ['select "a" from "b"', 'select'],
  ['INSERT INTO `a` VALUES (?)', 'insert'],
  ['\n    SELECT 1', 'select'],
  ['begin', 'begin'],
  ['commit', 'commit'],
  ['rollback', 'rollback'],
  ['selection', 'other'],
  ['WITH x AS (SELECT 1) SELECT * FROM x', 'other'],
  ['SET time_zone = 1', 'other'],
  ['', 'other'],
])('labels %j as %s', (sql, label) => {
  expect(getStatementLabel(sql)).toBe(label)
})
