import { Users } from 'lucide-react'
import { runtime } from '../../api/configuration.ts'
import { screen } from '../../page/screen.ts'
import { searchSelect } from '../../page/search-select.ts'
import { tabSearch } from '../../page/tab-search.ts'
import { parseUserSearch, rememberedUsers } from './search.ts'

export const userList = screen({
  path: '/internal/users',
  title: 'Users',
  load: () => import('./list.tsx'),
  search: parseUserSearch,
  remembered: rememberedUsers,
  // Accounts of hosted installations are of one person each; the screens open by their address all the same.
  menu: { group: 'general', icon: Users, params: () => (runtime().hosting ? undefined : {}) },
  key: 'u',
  records: () => import('./records.ts'),
  pieces: [searchSelect],
})

export const addUser = screen({
  path: '/internal/users/add',
  title: 'Add a user',
  load: () => import('./add.tsx'),
  under: userList,
  changes: true,
})

export const editUser = screen({
  path: '/internal/users/$user_sid/edit',
  title: 'Edit user',
  load: () => import('./edit.tsx'),
  search: tabSearch,
  under: userList,
})

export const userScreens = [userList, addUser, editUser]
