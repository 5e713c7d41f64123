/** Returns the text of a form field, or an empty text if there is none. */
export const formText = (form: HTMLFormElement, name: string): string => {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}
