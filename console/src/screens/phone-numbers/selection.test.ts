import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { expect, test } from 'vitest'
import { accountSelected, countSelected, everything, isSelected, nothing, pageSelected, select } from './selection.ts'

const number = (phone_number_sid: string, account_sid: string | null = 'a'): NamedPhoneNumber => ({
  phone_number_sid,
  number: phone_number_sid,
  voip_carrier_sid: null,
  account_sid,
  application_sid: null,
  service_provider_sid: null,
  carrier_name: null,
  account_name: null,
  application_name: null,
})
const [one, two, three, loose] = [number('1'), number('2'), number('3', 'b'), number('4', null)]

test('selects rows one by one and page by page, and keeps them on other pages', () => {
  const chosen = select(select(nothing, [one, two], true), [three], true)
  expect([one, two, three, loose].map((row) => isSelected(chosen, row))).toEqual([true, true, true, false])
  expect(countSelected(chosen, 100)).toBe(3)
  expect(pageSelected(chosen, [one, two])).toBe('all')
  expect(pageSelected(chosen, [three, loose])).toBe('some')
  expect(pageSelected(select(chosen, [one, two, three], false), [one, two, three])).toBe('none')
})

test('removes rows from a selection of everything, and adds them again', () => {
  const chosen = select(everything, [two], false)
  expect([one, two].map((row) => isSelected(chosen, row))).toEqual([true, false])
  expect(countSelected(chosen, 100)).toBe(99)
  expect(pageSelected(chosen, [one, two])).toBe('some')
  expect(countSelected(select(chosen, [two], true), 100)).toBe(100)
})

test('returns the account if all selected numbers belong to one', () => {
  expect(accountSelected(select(nothing, [one, two], true), undefined)).toBe('a')
  expect(accountSelected(select(nothing, [one, three], true), undefined)).toBeUndefined()
  expect(accountSelected(select(nothing, [loose], true), undefined)).toBeUndefined()
  expect(accountSelected(everything, undefined)).toBeUndefined()
  expect(accountSelected(everything, 'a')).toBe('a')
})
