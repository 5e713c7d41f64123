import { type SubmitEvent, useState } from 'react'

/** A form of one page that is sent once at a time: what went wrong the last time stays until it is sent anew. */
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
