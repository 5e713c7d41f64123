import { useLayoutEffect, useRef, useState } from 'react'
import { useFormState, useWatch } from 'react-hook-form'
import { countText, type Nouns } from '../ui/format/text.ts'
import { findChangedPaths } from './change-paths.ts'

const maxNames = 3

const getText = (element: Element | null | undefined): string => element?.textContent?.trim() ?? ''

/** Returns the name of a field: that of its row, its label, or the title of its list. */
const getLabel = (field: HTMLElement): string => {
  const row = field.closest<HTMLElement>('[data-row-name]')?.dataset['rowName']
  if (row) return row
  if (field instanceof HTMLFieldSetElement) return getText(field.querySelector('legend'))
  return getText(document.querySelector(`label[for="${CSS.escape(field.id)}"]`)) || (field.ariaLabel ?? '')
}

/** Returns the field of a path, or the list around it if the field is not on the page. */
const findField = (form: HTMLElement, path: string): HTMLElement | undefined => {
  const parts = path.split('.')
  const paths = parts.map((_, at) => parts.slice(0, parts.length - at).join('.'))
  const fields = paths.map((one) => form.querySelector<HTMLElement>(`[name="${CSS.escape(one)}"]`))
  return fields.find((field) => field !== null) ?? undefined
}

/** Returns the titles around an invalid field: its tab, if the form has tabs, and its section. */
const getTabAndSection = (field: HTMLElement): string => {
  const part = field.closest<HTMLElement>('[data-part]')?.dataset['part']
  const section = getText(field.closest('section')?.querySelector('h2'))
  return [part, section].filter(Boolean).join(', ')
}

const changeNouns: Nouns = ['change', 'changes']
const errorNouns: Nouns = ['error', 'errors']

const counted = (count: number, nouns: Nouns, names: string): string => `${countText(count, count, nouns)}: ${names}`

const listNames = (names: readonly string[]): string => {
  const more = names.length - maxNames
  return names.slice(0, maxNames).join(', ') + (more > 0 ? `, and ${more} more` : '')
}

const describe = (form: HTMLFormElement, paths: readonly string[], errors: object): string => {
  const changed = new Set<Element | undefined>(paths.map((path) => findField(form, path)))
  const fields = [...form.elements].filter((field): field is HTMLElement => changed.has(field))
  const names = [...new Set(fields.map(getLabel).filter(Boolean))]
  const changes = names.length === 0 ? 'Unsaved changes' : counted(names.length, changeNouns, listNames(names))
  const invalid = [...form.querySelectorAll<HTMLElement>('[aria-invalid=true]')]
  const [first] = invalid
  if (first === undefined || Object.keys(errors).length === 0) return changes
  return `${changes}. ${counted(invalid.length, errorNouns, `${getLabel(first)} (${getTabAndSection(first)})`)}`
}

/** Names the changed fields of the form around it, and the first field with an error. */
export const ChangeSummary = () => {
  const { defaultValues = {}, errors } = useFormState()
  const values = useWatch()
  const self = useRef<HTMLSpanElement>(null)
  const [text, setText] = useState('Unsaved changes')
  // The labels are read from the page, because only there each form says how its fields are called.
  useLayoutEffect(() => {
    const form = self.current?.closest('form')
    if (form) setText(describe(form, findChangedPaths(values, defaultValues), errors))
  }, [values, defaultValues, errors])
  return <span ref={self}>{text}</span>
}
