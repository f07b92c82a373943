import axios from 'axios';

const response = await axios.get('https://example.com');
return response.data;
