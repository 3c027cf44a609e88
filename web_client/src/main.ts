import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { colours } from './ui/theme.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');

colours.begin();
mount(App, { target });
