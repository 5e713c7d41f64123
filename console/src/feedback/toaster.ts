import { createToaster } from '../ui/toast.tsx'

/** The one list of toasts; screens, guards and the mutation wrapper add to it. */
export const toaster = createToaster()
