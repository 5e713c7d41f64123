import { type SubmitEvent, useState } from 'react'

/** Returns the text of a form field, or an empty text if there is none. */
export const formText = (form: HTMLFormElement, name: string): string => {
  const value = new FormData(form).get(name)
  return typeof value === 'string' ? value : ''
}

/**
 * Returns the state of a simple form that is sent once at a time. The error of the last attempt is kept until the next
 * one.
 * @param send sends the form and throws an error if that fails
 */
export const useFormSubmit = (send: (form: HTMLFormElement) => Promise<void>) => {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await send(form)
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    failure,
    onSubmit: (event: SubmitEvent<HTMLFormElement>) => {
      event.preventDefault()
      if (!busy) void submit(event.currentTarget)
    },
  }
}
