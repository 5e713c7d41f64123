import { expect, test } from 'vitest'
import { namesEntityTag, toEntityTag } from './entity-tags.ts'

test('the tag depends on the content only, and is the same for text and bytes', () => {
  expect(toEntityTag('[{"name":"Zoë"}]')).toBe(toEntityTag(Buffer.from('[{"name":"Zoë"}]')))
  expect(toEntityTag('[]')).not.toBe(toEntityTag('[ ]'))
  expect(toEntityTag('')).toMatch(/^"[\w-]{22}"$/)
})

test.each([
  ['*', true],
  ['"one"', true],
  ['W/"one"', true],
  ['"other", W/"one" , "third"', true],
  ['one', false],
  ['w/"one"', false],
  ['"on"', false],
  ['W/"other","third"', false],
  ['', false],
])('If-None-Match: %s names "one": %s', (header, names) => {
  expect(namesEntityTag(header, '"one"')).toBe(names)
})
